package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	dirName = "logins" // in the state directory
	maxFile = 1 << 20  // bytes
)

// New returns the keeper of the tokens in a state directory.
func New(stateDir string) *TokenStore { return &TokenStore{dir: filepath.Join(stateDir, dirName)} }

// entry is what is kept of a login.
type entry struct {
	Address  string           `json:"address"`                 // of the server that the token is for, and for no other
	Base     string           `json:"base"`                    // of what it says of who signs people in
	Metadata string           `json:"metadata,omitempty"`      // where it says that, when not at the usual place
	Endpoint string           `json:"token_endpoint"`          // who gave the token, and alone may give another
	ID       string           `json:"client_id"`               // by which we are registered there
	Secret   string           `json:"client_secret,omitempty"` // that came with it
	Method   string           `json:"auth_method,omitempty"`   // how that is shown
	Wants    []string         `json:"wants,omitempty"`         // scopes that the token lacks
	Token    *transport.Token `json:"token"`
}

// Forget removes the tokens of the server at address, and reports whether there were
// any.
func (k *TokenStore) Forget(address string) (bool, error) {
	err := os.Remove(k.path(address))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Since is when the login at a server was kept last; the zero time where none is.
func (k *TokenStore) Since(address string) time.Time {
	info, err := os.Stat(k.path(address))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Expire lets the next request to the server at address begin with a fresh token: the
// server no longer takes the one that is kept. It reports whether there may be one.
func (k *TokenStore) Expire(address string) bool {
	e, err := k.read(address)
	if err != nil || e.Token.RefreshToken == "" || e.Token.IsExpired() {
		return false
	}
	e.Token.ExpiresAt = time.Now().Add(-time.Second)
	return k.write(e) == nil
}

// keepMissingScopes notes the scopes that the token for the server at address lacks: the next login
// asks for them.
func (k *TokenStore) keepMissingScopes(address string, scopes []string) error {
	e, err := k.read(address)
	if err != nil || slices.Equal(e.Wants, scopes) {
		return err
	}
	e.Wants = scopes
	return k.write(e)
}

// scopesToAsk are the scopes to ask for beside those, where the last token lacked some.
func (k *TokenStore) scopesToAsk(address string, beside []string) (scopes []string) {
	e, err := k.read(address)
	if err != nil || len(e.Wants) == 0 {
		return nil
	}
	for _, scope := range slices.Concat(strings.Fields(e.Token.Scope), e.Wants) {
		if !slices.Contains(beside, scope) && !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

func (k *TokenStore) path(address string) string {
	return filepath.Join(k.dir, core.Hash(address)[:32]+".json")
}

// read returns what is kept of a server, or [fs.ErrNotExist].
func (k *TokenStore) read(address string) (e entry, err error) {
	path := k.path(address)
	raw, err := userfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	if err == nil {
		err = json.Unmarshal(raw, &e)
	}
	if err == nil && (e.Address != address || e.Token == nil) {
		err = errors.New("it is of another server")
	}
	if err != nil {
		err = core.Fail(core.CodeInvalid, "the login in "+path+" cannot be used", "remove the file, and sign in again").Because(err)
	}
	return e, err
}

func (k *TokenStore) write(e entry) error {
	switch {
	case e.Token.AccessToken == "":
		return refused("it gave no token", "tell those who run the server")
	case strings.ContainsFunc(e.Token.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }):
		return refused("it gave a token that no request can have in its head", "tell those who run the server")
	case e.Token.TokenType != "" && !strings.EqualFold(e.Token.TokenType, "bearer"):
		return refused(fmt.Sprintf("it gave a token of the kind %.20q, which MCP does not know", e.Token.TokenType), "tell those who run the server")
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = private.Dir(k.dir)
	}
	if err == nil {
		err = userfile.Replace(k.path(e.Address), raw)
	}
	return err
}

// kept is what is kept for one server, as the library asks for it.
type kept struct {
	keeper  *TokenStore
	address string
}

var _ transport.TokenStore = kept{}

// GetToken implements [transport.TokenStore].
func (s kept) GetToken(ctx context.Context) (*transport.Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := s.keeper.read(s.address)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, transport.ErrNoToken
	}
	return e.Token, err
}

// SaveToken implements [transport.TokenStore]. What was forgotten meanwhile stays so.
func (s kept) SaveToken(ctx context.Context, token *transport.Token) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := s.keeper.read(s.address)
	if err != nil {
		return err
	}
	e.Token = token
	return s.keeper.write(e)
}
