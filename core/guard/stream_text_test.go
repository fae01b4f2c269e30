package guard_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/guard"
)

const (
	chinese  = "我们昨天把新的服务部署到了测试环境，然后检查了Docker的日志。一切正常！"
	japanese = "昨日、新しいサーバーをテスト環境に配置して、ログを確認しました。"
)

func TestChineseIsStreamedBeforeItsSentenceEnds(t *testing.T) {
	for _, text := range []string{chinese, japanese, "ผมไปตลาดเมื่อวานนี้และซื้อผลไม้"} {
		var s guard.Stream
		sent, held := 0, 0
		for i, r := range text {
			sent += len(s.Write(string(r)))
			held = max(held, i+len(string(r))-sent)
		}
		if held > len("Docker的") {
			t.Errorf("%d bytes of %q are held back", held, text)
		}
	}
}

func TestWhatIsSaidOfASecretEndsWithAnIdeographicFullStop(t *testing.T) {
	var s guard.Stream
	if got := s.Write("使用password管理器。" + chinese); !strings.HasSuffix(got, chinese) {
		t.Errorf("got %q", got)
	}
}

func TestWhatStandsAmongTextWithoutBlanksIsHeldUntilItIsKnown(t *testing.T) {
	for _, text := range []string{
		"well, Bramble-Otter42! is my password now", "use hunter2xY! as the new password", "Bramble-Otter42! is a bird", "漢字X9!kqz is my password",
		"password=漢字Otter42，然后", "我的password=漢字Otter42，然后", "lena:漢字Otter42@tcp(h:3306)/x", "https://lena:漢字Otter42@host/x",
		"cargo login 漢字abcdefghijklmnopqrstu", "Authorization: 漢字abcDEF123456", `"password": "漢，字 Otter42"`,
		"--password 漢字Otter42", "mysql -p漢字Otter42 x", "echo 漢字Otter42 | sudo -S ls", "requirepass 漢字Otter42", `我的password是"漢，字 Otter42"。`,
		"令牌是ghp_16C7e42F292c6912E7710c838347Ae178B4a，请保密。", "使用password管理器。然后部署服务。",
	} {
		for _, around := range []string{"", chinese, chinese + " ", "Here it is: "} {
			var s guard.Stream
			var got string
			for i := range len(around + text) {
				got += s.Write((around + text)[i : i+1])
			}
			got += s.Close()
			if want, _ := guard.Mask(around + text); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		}
	}
}

func TestACorpusLineAmongTextWithoutBlanksIsMaskedInPiecesAsInOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, l := range readCorpus(t) {
		for _, around := range []string{"", "Here it is: ", "\n", chinese, japanese, chinese + "\n", chinese + " ", strings.Repeat(japanese, 4)} {
			text := around + l.text() + around
			want, _ := guard.Mask(text)
			var s guard.Stream
			var got string
			for rest := text; rest != ""; {
				n := min(1+rnd.IntN(20), len(rest))
				got += s.Write(rest[:n])
				rest = rest[n:]
			}
			if got += s.Close(); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		}
	}
}
