package clock_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/clock"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

// expert answers on Saturday, 21 November 2026, at 00:12 UTC, in Berlin.
var expert = func() experts.Expert {
	local, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return clock.New(func() time.Time { return time.Date(2026, 11, 21, 0, 12, 0, 0, time.UTC) }, local)
}()

// plain are questions in plain language, and their answers.
var plain = []struct{ prompt, want string }{
	{"what time is it in Tokyo?", "**09:12** in Tokyo, Saturday 21 November (8 h ahead of you)"},
	{"What time is it in Tokyo", "**09:12** in Tokyo, Saturday 21 November (8 h ahead of you)"},
	{"time in Tokyo", "**09:12** in Tokyo, Saturday 21 November (8 h ahead of you)"},
	{"tokyo time", "**09:12** in Tokyo, Saturday 21 November (8 h ahead of you)"},
	{"Tokyo", "**09:12** in Tokyo, Saturday 21 November (8 h ahead of you)"},
	{"and in Paris?", "**01:12** in Paris, Saturday 21 November"},
	{"and Paris?", "**01:12** in Paris, Saturday 21 November"},
	{"what's the time in São Paulo", "**21:12** in São Paulo, Friday 20 November (4 h behind you)"},
	{"time in Zürich", "**01:12** in Zurich, Saturday 21 November"},
	{"current time in san francisco", "**16:12** in San Francisco, Friday 20 November (9 h behind you)"},
	{"what time is it right now in New York City?", "**19:12** in New York City, Friday 20 November (6 h behind you)"},
	{"could you please tell me the current local time in Mumbai?", "**05:42** in Mumbai, Saturday 21 November (4 h 30 min ahead of you)"},
	{"what time is it in Asia/Kolkata", "**05:42** in Kolkata, Saturday 21 November (4 h 30 min ahead of you)"},
	{"current time in UTC+5:30", "**05:42** in UTC+5:30, Saturday 21 November (4 h 30 min ahead of you)"},
	{"time at GMT-3", "**21:12** in UTC-3, Friday 20 November (4 h behind you)"},
	{"what time is it in EST", "**19:12** in EST (UTC-5), Friday 20 November (6 h behind you)"},
	{"UTC time", "**00:12** in UTC, Saturday 21 November (1 h behind you)"},
	{"time in the UK", "**00:12** in UK, Saturday 21 November (1 h behind you)"},
	{"what time is it in Germany now", "**01:12** in Germany, Saturday 21 November"},
	{"time in Australia", "**11:12** in Sydney, **10:12** in Brisbane, **10:42** in Adelaide, **09:42** in Darwin, **08:12** in Perth"},
	{"time in Tokyo and London", "**09:12** in Tokyo, **00:12** in London"},
	{"now", "**01:12**, Saturday 21 November 2026 (Europe/Berlin)"},
	{"what time is it?", "**01:12**, Saturday 21 November 2026 (Europe/Berlin)"},
	{"was ist heute für ein Tag", "**Samstag, 21. November 2026**, heute, in Woche 47 (2026-11-21)"},
	{"date today", "**Saturday 21 November 2026**, today, in week 47"},
	{"what's today's date?", "**Saturday 21 November 2026**, today, in week 47"},
	{"what is the date?", "**Saturday 21 November 2026**, today, in week 47"},
	{"what day is it in Auckland", "**Saturday 21 November 2026**, today, in week 47"},
	{"what day is it", "**Saturday 21 November 2026**, today, in week 47"},
	{"3pm London in New York", "**10:00** in New York: 15:00 in London on Saturday 21 November 2026"},
	{"when it is 9:00 in Paris what time is it in Sydney?", "**19:00** in Sydney: 09:00 in Paris on Saturday 21 November 2026"},
	{"what time will it be in London at 5pm Tokyo time", "**08:00** in London: 17:00 in Tokyo on Saturday 21 November 2026"},
	{"2026-07-01T12:00:00+02:00 in New York", "**06:00** in New York: 12:00 in UTC+2 on Wednesday 1 July 2026"},
	{"time in +02:00", "**02:12** in UTC+2, Saturday 21 November (1 h ahead of you)"},
	{"time in Etc/GMT+5", "**19:12** in Etc/GMT+5, Friday 20 November (6 h behind you)"},
	{"TIME IN CYPRUS PLEASE", "**02:12** in Cyprus, Saturday 21 November (1 h ahead of you)"},
	{"what time is it in Sydney when it is 9:00 in Paris?", "**19:00** in Sydney: 09:00 in Paris on Saturday 21 November 2026"},
	{"convert 14:30 UTC to Tokyo time", "**23:30** in Tokyo: 14:30 in UTC on Saturday 21 November 2026"},
	{"3:30 pm PST to CET", "**00:30** in CET (UTC+1) on Saturday 21 November: 15:30 in PST (UTC-8) on Friday 20 November 2026"},
	{"what is 3pm in Tokyo", "**23:00** in Tokyo: 15:00 in Europe/Berlin on Saturday 21 November 2026"},
	{"3pm Tokyo time", "**07:00** in Europe/Berlin: 15:00 in Tokyo on Saturday 21 November 2026"},
	{"if it's 3pm in Tokyo, what time is it here?", "**07:00** in Europe/Berlin: 15:00 in Tokyo on Saturday 21 November 2026"},
	{"noon in London in Los Angeles and Tokyo", "**04:00** in Los Angeles, **21:00** in Tokyo: 12:00 in London on Saturday 21 November 2026"},
	{"2026-07-01 12:00 UTC in Berlin", "**14:00** in Berlin: 12:00 in UTC on Wednesday 1 July 2026"},
	{"2026-07-01T12:00:00Z in New York", "**08:00** in New York: 12:00 in UTC on Wednesday 1 July 2026"},
	{"midnight in Tokyo to London time", "**15:00** in London on Friday 20 November: 00:00 in Tokyo on Saturday 21 November 2026"},
	{"1500 UTC in Berlin", "**16:00** in Berlin: 15:00 in UTC on Saturday 21 November 2026"},
	{"tomorrow 9am in Tokyo in Berlin time", "**01:00** in Berlin: 09:00 in Tokyo on Sunday 22 November 2026"},
	{"time difference between Berlin and Tokyo", "**8 h**: Tokyo is ahead of Berlin, 01:12 in Berlin is 09:12 in Tokyo"},
	{"what is the time difference between London and New York?", "**5 h**: New York is behind London, 00:12 in London is 19:12 in New York"},
	{"how many hours ahead is Kathmandu of London", "**5 h 45 min**: London is behind Kathmandu, 05:57 in Kathmandu is 00:12 in London"},
	{"how far behind is New York from Paris", "**6 h**: Paris is ahead of New York, 19:12 in New York is 01:12 in Paris"},
	{"what time zone is Tokyo in", "**UTC+9** in Tokyo now (Asia/Tokyo), where it is 09:12"},
	{"30 days from today", "**Monday 21 December 2026**, 30 days after 21 November 2026"},
	{"what date is 30 days from now?", "**Monday 21 December 2026**, 30 days after 21 November 2026"},
	{"what date is 3 weeks after 2026-01-15", "**Thursday 5 February 2026**, 3 weeks after 15 January 2026"},
	{"2 months before 30 April 2026", "**Saturday 28 February 2026**, 2 months before 30 April 2026"},
	{"90 days ago", "**Sunday 23 August 2026**, 90 days before 21 November 2026"},
	{"in 2 weeks", "**Saturday 5 December 2026**, 2 weeks after 21 November 2026"},
	{"one year from tomorrow", "**Monday 22 November 2027**, one year after 22 November 2026"},
	{"what time will it be in 3 hours?", "**04:12**, Saturday 21 November 2026 (Europe/Berlin), 3 hours after 01:12"},
	{"what time will it be in Tokyo in 90 minutes", "**10:42**, Saturday 21 November 2026 (Tokyo), 90 minutes after 09:12"},
	{"2 hours after 14:30", "**16:30**, Saturday 21 November 2026 (Europe/Berlin), 2 hours after 14:30"},
	{"2026-03-01 plus 30 days", "**Tuesday 31 March 2026**, 30 days after 1 March 2026"},
	{"today - 90 days", "**Sunday 23 August 2026**, 90 days before 21 November 2026"},
	{"today -3 days", "**Wednesday 18 November 2026**, 3 days before 21 November 2026"},
	{"now -2 hours", "**23:12**, Friday 20 November 2026 (Europe/Berlin), 2 hours before 01:12"},
	{"now +2 hours", "**03:12**, Saturday 21 November 2026 (Europe/Berlin), 2 hours after 01:12"},
	{"2026-12-25 - 2026-01-01", "**358 days** back from 25 December 2026 to 1 January 2026"},
	{"how many seconds until midnight", "**82080 s** until 00:00, Sunday 22 November 2026"},
	{"January 31, 2026 + 1 month", "**Saturday 28 February 2026**, 1 month after 31 January 2026"},
	{"days between 2026-03-01 and 2026-12-25", "**299 days** from 1 March 2026 to 25 December 2026"},
	{"how many days are between March 1 2026 and December 25 2026?", "**299 days** from 1 March 2026 to 25 December 2026"},
	{"how many days until Christmas", "**34 days** until Friday 25 December 2026"},
	{"days until 25 December", "**34 days** until Friday 25 December 2026"},
	{"how long until new year's eve?", "**40 days** until Thursday 31 December 2026"},
	{"how many weeks until 2027-01-02", "**6 weeks** until Saturday 2 January 2027"},
	{"how many days since 2026-01-01", "**324 days** since Thursday 1 January 2026"},
	{"how old is someone born on 1990-05-17", "**36 years**, 6 months and 4 days since 17 May 1990"},
	{"how many days in February 2028", "**29 days** in February 2028"},
	{"how many days are in 2028?", "**366 days** in 2028"},
	{"what weekday was 1969-07-20", "**Sunday**, 20 July 1969, 20943 days ago"},
	{"what day of the week was July 20, 1969?", "**Sunday**, 20 July 1969, 20943 days ago"},
	{"which weekday is 24.12.2026", "**Thursday**, 24 December 2026, in 33 days"},
	{"which weekday is 12/25/2026", "**Friday**, 25 December 2026, in 34 days"},
	{"which weekday is 25/12/2026", "**Friday**, 25 December 2026, in 34 days"},
	{"next friday", "**Friday 27 November 2026**, in 6 days"},
	{"what date is tomorrow", "**Sunday 22 November 2026**, in 1 day"},
	{"is 2028 a leap year", "**Yes**, 2028 is a leap year: it has 366 days"},
	{"is 1900 a leap year?", "**No**, 1900 is not a leap year: it has 365 days"},
	{"ISO week of 2026-12-31", "**Week 53** of 2026, Thursday 31 December 2026 (2026-W53-4)"},
	{"what week is it?", "**Week 47** of 2026, Saturday 21 November 2026 (2026-W47-6)"},
	{"unix time of 2026-01-01", "**1767225600**, the Unix time of 2026-01-01 00:00:00 UTC"},
	{"what is 1700000000 as a date", "**22:13:20**, Tuesday 14 November 2023 (UTC): Unix time 1700000000"},
	{"unix timestamp now", "**1795219920**, the Unix time of 2026-11-21 01:12:00 CET"},
	{"convert unix timestamp 1700000000 to Tokyo time", "**07:13:20**, Wednesday 15 November 2023 (Tokyo): Unix time 1700000000"},
	{"3 p.m. Eastern in Central European Time", "**21:00** in CET (UTC+1): 15:00 in Eastern on Friday 20 November 2026"},
	{"whats the time in nyc rn", "**19:12** in NYC, Friday 20 November (6 h behind you)"},
	{"time in Portland, Oregon", "**16:12** in Portland, Friday 20 November (9 h behind you)"},
	{"what's 9am Pacific in London?", "**17:00** in London: 09:00 in Pacific on Friday 20 November 2026"},
	{"what's the time in Seoul when it's 8 in the morning in Chicago", "**23:00** in Seoul: 08:00 in Chicago on Friday 20 November 2026"},
	{"what day was Christmas last year", "**Thursday**, 25 December 2025, 331 days ago"},
	{"when is 29 February", "**Tuesday 29 February 2028**, in 465 days"},
	{"9 in the evening in Paris in Tokyo", "**05:00** in Tokyo on Sunday 22 November: 21:00 in Paris on Saturday 21 November 2026"},
	{"what day of the week will Christmas be in 2030", "**Wednesday**, 25 December 2030, in 1495 days"},
	{"how many days left in this year", "**40 days** until Thursday 31 December 2026"},
	{"what's the utc offset of Nepal", "**UTC+5:45** in Nepal now (Asia/Kathmandu), where it is 05:57"},
	{"how many hours until midnight", "**22 h 48 min** until 00:00, Sunday 22 November 2026"},
	{"how many days in next month", "**31 days** in December 2026"},
	{"is this year a leap year", "**No**, 2026 is not a leap year: it has 365 days"},
	{"add 45 days to 2026-02-10", "**Friday 27 March 2026**, 45 days after 10 February 2026"},
	{"how many hours until new year", "**982 h 48 min** until 00:00, Friday 1 January 2027"},
	{"hours since 2026-11-20", "**25 h 12 min** since 00:00, Friday 20 November 2026"},
	{"how many hours between 2026-11-20 and 2026-11-22", "**48 hours** from 20 November 2026 to 22 November 2026"},
	{"how long till 2027", "**41 days** until Friday 1 January 2027"},
	{"10:00+05:30 in UTC", "**04:30** in UTC: 10:00 in UTC+5:30 on Saturday 21 November 2026"},
	{"2026-W10-3 which date is that", "**Wednesday 4 March 2026**, 262 days ago"},
	{"how old is someone born on 1990-05-05 on 2025-05-04", "**34 years**, 11 months and 29 days since 5 May 1990 on 4 May 2025"},
	{"when can Berlin and New York meet on 2025-03-20?", "**14:00–17:00** in Berlin on Thursday 20 March, when it is from 9:00 to 17:00 everywhere: it begins at 14:00 in Berlin, 09:00 in New York"},
	{"utc now", "**00:12** in UTC, Saturday 21 November (1 h behind you)"},
	{"last day of february 2028", "**Tuesday 29 February 2028**, in 465 days"},
	{"last day of the month", "**Monday 30 November 2026**, in 9 days"},
	{"first day of week 10 2027", "**Monday 8 March 2027**, in 107 days"},
	{"is it summer time in Chicago on 2025-07-04", "**Yes**, it is daylight saving time in Chicago on 4 July 2025 (UTC-5)"},
	{"Tokyo 9am in London on 2025-08-01", "**01:00** in London: 09:00 in Tokyo on Friday 1 August 2025"},
	{"1700000000000 ms to a date", "**22:13:20**, Tuesday 14 November 2023 (UTC): Unix time 1700000000000"},
	{"what time is it in Lima and in Oslo?", "**19:12** in Lima on Friday 20 November, **01:12** in Oslo"},
	{"when do the clocks go back in New York", "**Sunday 7 November 2027**: the clocks in New York go back by 1 h"},
	{"time since 9am", "**16 h 12 min** since 09:00, Friday 20 November 2026"},
	{"how many hours between London and Tokyo", "**9 h**: Tokyo is ahead of London, 00:12 in London is 09:12 in Tokyo"},
	{"what quarter is it", "**Q4** of 2026, on Saturday 21 November 2026"},
	{"when is Easter 2027", "**Sunday 28 March 2027** is Easter, in 127 days"},
	{"wie spät ist es in new york wenn es in berlin 15 uhr ist", "**09:00** in New York: 15:00 in Berlin am Samstag, 21. November 2026"},
	{"qué hora es en madrid y en lima", "**01:12** en Madrid, **19:12** en Lima el viernes, 20 de noviembre"},
	{"days until chrismas", "**34 days** until Friday 25 December 2026"},
	{"days since monday", "**5 days** since Monday 16 November 2026"},
	{"tomorrow at 9am in London in Tokyo", "**18:00** in Tokyo: 09:00 in London on Sunday 22 November 2026"},
	{"days between Christmas 2025 and 1 March 2026", "**66 days** from 25 December 2025 to 1 March 2026"},
	{"days from 1 march to easter 2027", "**27 days** from 1 March 2027 to 28 March 2027"},
	{"how many hours between 2025-03-01 10:00 and 2025-03-03 16:00", "**54 h** from 10:00, 1 March 2025 to 16:00, 3 March 2025"},
	{"what quarter is 2025-08-14 in", "**Q3** of 2025, on Thursday 14 August 2025"},
	{"wann ist Ostern 2027", "**Sonntag, 28. März 2027** ist Ostern, noch 127 Tage (2027-03-28)"},
	{"how long until 6pm in Tokyo", "**8 h 48 min** until 18:00, Saturday 21 November 2026 (Tokyo)"},
	{"how many days between yesterday and tomorrow", "**2 days** from 20 November 2026 to 22 November 2026"},
	{"tomorow", "**Sunday 22 November 2026**, in 1 day"},
	{"días entre el 1 de enero y el 1 de marzo de 2026", "**59 días** del 1 de enero de 2026 al 1 de marzo de 2026"},
	{"minutes between 10:15 and 12:00", "**105 min** from 10:15 to 12:00"},
	{"wie alt bin ich wenn ich am 3.8.1985 geboren bin", "**41 Jahre**, 3 Monate und 18 Tage seit dem 3. August 1985"},
	{"what was yesterday's date", "**Friday 20 November 2026**, 1 day ago"},
	{"how many days does april have", "**30 days** in April 2027"},
	{"If a meeting starts at 14:00 in London, what time is it in Berlin?", "**15:00** in Berlin: 14:00 in London on Saturday 21 November 2026"},
	{"my flight leaves London at 3pm, what time is that in New York", "**10:00** in New York: 15:00 in London on Saturday 21 November 2026"},
	{"release is on 2025-06-12 at 17:00 UTC, what time is that in Tokyo?", "**02:00** in Tokyo on Friday 13 June: 17:00 in UTC on Thursday 12 June 2025"},
	{"the call is at 14:00, what time is that in Tokyo", "**22:00** in Tokyo: 14:00 in Europe/Berlin on Saturday 21 November 2026"},
	{"wenn es in London 14 Uhr ist, wie spät ist es in Berlin", "**15:00** in Berlin: 14:00 in London am Samstag, 21. November 2026"},
	{"si en Londres son las 14:00, ¿qué hora es en Berlín?", "**15:00** en Berlin: 14:00 en Londres el sábado, 21 de noviembre de 2026"},
	{"wie spät ist es in New York, wenn es hier 15 Uhr ist", "**09:00** in New York: 15:00 in Europe/Berlin am Samstag, 21. November 2026"},
	{"date -d '2025-06-01 +45 days'", "**Wednesday 16 July 2025**, 45 days after 1 June 2025"},
	{"1700000000 epoch to utc", "**22:13:20**, Tuesday 14 November 2023 (UTC): Unix time 1700000000"},
	{"does 2028 have a 29 February?", "**Yes**, there is: Tuesday 29 February 2028"},
	{"how long ago was 2025-03-03 in days", "**628 days** since Monday 3 March 2025"},
	{"wie viele Tage liegen zwischen dem 1.1.2025 und dem 31.3.2025", "**89 Tage** vom 1. Januar 2025 bis zum 31. März 2025"},
	{"whats the date next week same day", "**Saturday 28 November 2026**, in 7 days"},
	{"same day next month", "**Monday 21 December 2026**, in 30 days"},
	{"am selben Tag nächstes Jahr", "**Sonntag, 21. November 2027**, noch 365 Tage (2027-11-21)"},
	{"which date we have tomorrow", "**Sunday 22 November 2026**, in 1 day"},
	{"when does Q3 2025 start", "**Tuesday 1 July 2025**, 508 days ago"},
	{"last day of Q2 2025", "**Monday 30 June 2025**, 509 days ago"},
	{"how many days in the first quarter of 2028", "**91 days** in Q1 2028"},
	{"week 14 of 2025 starts when", "**Monday 31 March 2025**, 600 days ago"},
	{"is 2025-06-14 a weekend", "**Yes**: Saturday 14 June 2025"},
	{"is 2025-12-25 a Friday", "**No**: Thursday 25 December 2025"},
	{"how many hours left today", "**22 h 48 min** until 00:00, Sunday 22 November 2026"},
	{"last working day of May 2026", "**Friday 29 May 2026**, 176 days ago"},
	{"200th day of the year", "**Sunday 19 July 2026**, 125 days ago"},
	{"2025-01-01 + 1 year 2 months", "**Sunday 1 March 2026**, 1 year 2 months after 1 January 2025"},
	{"how many days between 24.12. and 31.12.", "**7 days** from 24 December 2026 to 31 December 2026"},
	{"wenn es in Berlin halb vier ist, wie spät ist es in Tokio", "**11:30** in Tokio: 03:30 in Berlin am Samstag, 21. November 2026"},
	{"viertel vor neun in London in Berlin", "**09:45** in Berlin: 08:45 in London am Samstag, 21. November 2026"},
	{"3pm my time in Tokyo", "**23:00** in Tokyo: 15:00 in Europe/Berlin on Saturday 21 November 2026"},
	{"in wie vielen Tagen ist Ostern", "**127 Tage** bis Sonntag, 28. März 2027"},
	{"cuántos días han pasado desde el 1 de enero de 2026", "**324 días** desde jueves, 1 de enero de 2026"},
	{"difference in days between 2025-01-01 and 2025-06-01", "**151 days** from 1 January 2025 to 1 June 2025"},
	{"what's the day after 2028-02-28", "**Tuesday 29 February 2028**, 1 day after 28 February 2028"},
	{"Kalenderwoche vom 3. Februar 2025", "**Woche 6** von 2025, Montag, 3. Februar 2025 (2025-W06-1)"},
	{"in a fortnight", "**Saturday 5 December 2026**, a fortnight after 21 November 2026"},
	{"wenn ich um 20 Uhr in Berlin anrufe, wie spät ist es in Tokio", "**04:00** in Tokio am Sonntag, 22. November: 20:00 in Berlin am Samstag, 21. November 2026"},
	{"wann beginnt die Sommerzeit 2026 in Deutschland", "**Sonntag, 29. März 2026**: die Uhren in Deutschland werden um 1 h vorgestellt"},
	{"is Tokyo ahead of Sydney", "**No**: **2 h**: Sydney is ahead of Tokyo, 09:12 in Tokyo is 11:12 in Sydney"},
	{"next leap year after 2096", "**2104** is the next leap year"},
	{"when does DST end in New York in 2025", "**Sunday 2 November 2025**: the clocks in New York go back by 1 h"},
	{"how many days until my birthday on 3 May", "**163 days** until Monday 3 May 2027"},
	{"if it is 22:45 now, what time is it in 90 minutes", "**00:15**, Sunday 22 November 2026 (Europe/Berlin), 90 minutes after 22:45"},
	{"how many days old is someone born on 2000-01-01", "**9821 days** since Saturday 1 January 2000"},
}

func TestAQuestionAboutTimeInPlainLanguageIsAnswered(t *testing.T) {
	for _, c := range plain {
		reply := expertstest.Ask(t, expert, c.prompt)
		if reply.Message != c.want || reply.Status != core.StatusSuccess {
			t.Errorf("%q\n got %s %q\nwant %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"", "For example"},
		{"hello", "For example"},
		{"what is 12% of 840?", "For example"},
		{"who is the mayor of Paris", "For example"},
		{"population of Tokyo", "For example"},
		{"5 miles in km", "For example"},
		{"what time is it in Atlantis", "\"atlantis\""},
		{"time in Middle Earth?", "\"middle earth\""},
		{"how many days until ragnarok", "\"ragnarok\""},
		{"3pm in Australia in Tokyo", "Name a city"},
		{"time difference between Russia and Japan", "Name a city"},
		{"what weekday is 03/04/2026", "3 April 2026 or 4 March 2026"},
		{"3pm", "For example"},
		{"how many mondays until christmas", "For example"},
		{"time in Georgia", "the country (UTC+4) or the state"},
		{"3/4/26", "3 April 2026 or 4 March 2026"},
		{"wie spät ist es in Atlantis", "keinen Ort und keinen Tag „atlantis“"},
		{"qué día es 3/4/2026", "Di 3 de abril de 2026 o 4 de marzo de 2026"},
		{"9am ist in london", "India (UTC+5:30), Ireland"},
		{"time in IST", "India (UTC+5:30), Ireland"},
		{"10:00-12:00", "For example"},
		{"2:30 on 2026-10-25 in Berlin in UTC", "comes twice"},
		{"time in Tokyo tomorrow", "For example"},
		{"unix time in 2 hours", "For example"},
		{"9am London in Central Narnian time", "For example"},
		{"9am Narnia in London", "For example"},
		{"last week monday", "For example"},
		{"the call is at 9am Narnian, what time is that in London", "For example"},
		{"Narnia 9am, what time is that in London", "For example"},
		{"remind me in 10 minutes", "For example"},
		{"best time to eat", "For example"},
		{"best time to visit Tokyo", "For example"},
		{"how many weekends until Christmas", "For example"},
		{"1.5 days from now", "For example"},
		{"10pm tomorrow evening in Paris", "For example"},
		{"at 10 at night in Paris", "For example"},
		{"days between 1 March and last day of May", "For example"},
		{"how long until 3pm in Australia", "Name a city"},
		{"is my flight on time?", "For example"},
		{"is March 2028 a leap year", "Which year"},
		{"\x00\xff\xfe", "For example"},
	} {
		reply := expertstest.Ask(t, expert, c.prompt)
		if reply.Status != core.StatusClarification || !strings.Contains(reply.Message, c.want) {
			t.Errorf("%q: got %s %q, want to be asked back with %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestWhatHasNoAnswerIsRefusedInWords(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"what weekday is 2026-02-30", "no day 30"},
		{"did 1900 have a 29 February?", "no day 29"},
		{"weekday of 2026-13-01", "no day 1"},
		{"999999 years from today", "beyond"},
		{"2:30 on 2027-03-28 in Berlin in Tokyo", "does not exist"},
		{"31 june", "no day 31"},
		{strings.Repeat("Tokyo ", 1000), "too long"},
	} {
		reply := expertstest.Ask(t, expert, c.prompt)
		if reply.Status != core.StatusFailure || !strings.Contains(reply.Message, c.want) {
			t.Errorf("%q: got %s %q, want a refusal with %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestDataHoldsTheMomentForPrograms(t *testing.T) {
	want := map[string]any{
		"result": "2026-11-21T09:12:00+09:00", "place": "Tokyo", "zone": "Asia/Tokyo", "time": "2026-11-21T09:12:00+09:00", "date": "2026-11-21", "clock": "09:12",
		"weekday": "Saturday", "offset": "UTC+9", "iso_week": "2026-W47",
	}
	if diff := cmp.Diff(want, expertstest.Ask(t, expert, "time in Tokyo").Data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if days := expertstest.Ask(t, expert, "days until Christmas").Data["days"]; days != 34.0 {
		t.Errorf("days %v", days)
	}
}

func TestEveryPlaceOfTheTableHasRules(t *testing.T) {
	text, err := os.ReadFile("places.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		zones, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for zone := range strings.SplitSeq(zones, ",") {
			if !strings.Contains(zone, "/") {
				continue // an offset
			}
			if reply := expertstest.Ask(t, expert, "what time is it in "+zone); reply.Data["zone"] != zone {
				t.Errorf("%s: %s", zone, reply.Message)
			}
		}
		names, may, _ := strings.Cut(names, "; ")
		for name := range strings.SplitSeq(names, " | ") {
			if reply := expertstest.Ask(t, expert, "what time is it in "+name); (reply.Status == core.StatusClarification) != (may != "") || may != "" && !strings.Contains(reply.Message, may) {
				t.Errorf("%s: %s", name, reply.Message)
			}
		}
	}
}

func TestEveryPhraseIsSaidInThreeLanguages(t *testing.T) {
	text, err := os.ReadFile("phrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		said := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if line[0] == '#' || strings.Contains(line, "= ") {
			continue
		}
		if len(said) != 3 || strings.Count(said[1], "%") != strings.Count(said[0], "%") || strings.Count(said[2], "%") != strings.Count(said[0], "%") {
			t.Errorf("%q", said)
		}
	}
}

func TestACityThatAZoneIsNamedAfterIsKnown(t *testing.T) {
	for name, zone := range map[string]string{
		"los angeles": "America/Los_Angeles", "Dar es Salaam": "Africa/Dar_es_Salaam", "port-au-prince": "America/Port-au-Prince",
		"isle of man": "Europe/Isle_of_Man", "Ulaanbaatar": "Asia/Ulaanbaatar", "honolulu": "Pacific/Honolulu", "Nairobi": "Africa/Nairobi",
		"ushuaia": "America/Argentina/Ushuaia", "Perth": "Australia/Perth", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires",
		"US/Pacific": "US/Pacific", "la paz": "America/La_Paz", "HO CHI MINH": "Asia/Ho_Chi_Minh", "etc/utc": "Etc/UTC",
	} {
		if reply := expertstest.Ask(t, expert, "time in "+name); reply.Data["zone"] != zone {
			t.Errorf("%s: %s %v", name, reply.Message, reply.Data["zone"])
		}
	}
}

func TestDaysThereAndBackAreTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		start := time.Date(1900+r.IntN(300), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		n := r.IntN(100_000)
		end, _ := expertstest.Ask(t, expert, fmt.Sprintf("%d days after %s", n, start.Format(time.DateOnly))).Data["date"].(string)
		if end != start.AddDate(0, 0, n).Format(time.DateOnly) {
			t.Fatalf("%d days after %s: %s", n, start.Format(time.DateOnly), end)
		}
		days := expertstest.Ask(t, expert, fmt.Sprintf("days between %s and %s", start.Format(time.DateOnly), end)).Data["days"]
		if days != float64(n) {
			t.Fatalf("between %s and %s: %v, want %d", start.Format(time.DateOnly), end, days, n)
		}
	}
}

func TestTheIntroductionIsWithinItsBounds(t *testing.T) {
	expertstest.Introduction(t, expert, "clock")
}

func FuzzEveryPromptGetsALegalReply(f *testing.F) {
	expertstest.Fuzz(f, expert, 16<<10, "time in Tokyo", "3pm London in New York", "days until 29 February", "9999-12-31 + 999999 years", "12/31/2026", "@1700000000", "utc+99:99")
}

func TestWhatADateMayMeanIsThereToChooseFrom(t *testing.T) {
	got := expertstest.Ask(t, expert, "what day is 3/4/2026?")
	want := []string{"what day is 3 April 2026?", "what day is 4 March 2026?"}
	if options, _ := got.Data["options"].([]string); !slices.Equal(options, want) {
		t.Errorf("the options are %q, want %q", got.Data["options"], want)
	}
}
