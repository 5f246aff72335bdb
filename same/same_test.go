package same

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSame(t *testing.T) {
	for _, test := range []struct{ name, a, b string }{
		{"case, quotes and dashes", "The flag is `--no-cache` – don’t drop it.", `the flag is --no-cache - don't drop it`},
		{"contraction", "Kenji can't eat dairy.", "Kenji cannot eat dairy"},
		{"contraction without its apostrophe", "Grafana is provisioned, dont edit it.", "Grafana is provisioned; do not edit it."},
		{"diacritics", "José lives in Kraków.", "Jose lives in Krakow."},
		{"British and American", "The harbour crane is labelled in grey.", "The harbor crane is labeled in gray."},
		{"spelling slip", "The VPN drops on teh stairs.", "The VPN drops on the stairs."},
		{"joined words", "The Wi-Fi back-up is on-line.", "The wifi backup is online."},
		{"identifier and words", "Log lines hold the trace_id field.", "Log lines hold the trace id field."},
		{"head of an identifier", "Flags are in src/flags.ts", "Flags are in the file src/flags.ts."},
		{"irregular verb", "Lessons learnt: the valve froze.", "Lessons learned: the valve was frozen."},
		{"synonym", "Our fiscal year starts on 1 July.", "Our fiscal year begins on July 1st."},
		{"moved phrase", "In staging, tracing is enabled.", "Tracing is enabled in staging."},
		{"moved list", "The cat is spayed and chipped.", "The cat is chipped and spayed."},
		{"passive with by", "The guard locks the gate at 5 pm.", "The gate is locked by the guard at 17:00."},
		{"noun of a noun", "Emails to customers go through Postmark.", "Customer emails go through Postmark."},
		{"moved only", "Treat it as a cache only.", "Treat it only as a cache."},
		{"no and not any", "The cottage has no heating.", "The cottage hasn't got any heating."},
		{"no longer", "We no longer use Jenkins.", "We don't use Jenkins any more."},
		{"user and I", "User is allergic to cats.", "I'm allergic to cats."},
		{"bytes", "The limit is 2 GiB.", "The limit is 2048 MiB."},
		{"loosely named bytes", "Split above 1 GB.", "Split above 1024 MB."},
		{"thousands", "The limit is ten thousand rows.", "The limit is 10 000 rows."},
		{"thousands letter", "The loan is $250k.", "The loan is 250,000 dollars."},
		{"fraction", "Two thirds of seats are taken.", "2/3 of seats are taken."},
		{"half an hour", "It takes half an hour.", "It takes 30 min."},
		{"an hour and a half", "It takes an hour and a half.", "It takes 1h 30m."},
		{"pounds", "It is 50 kg.", "It is 110 lb."},
		{"temperature", "Bake at 180 °C.", "Bake at 356°F."},
		{"clock", "It starts at 14:00 UTC.", "It starts at 2 p.m. UTC."},
		{"zones", "It starts at 9:00 PST.", "It starts at 17:00 UTC."},
		{"clock in words", "It starts at half past nine.", "It starts at 9:30 pm."},
		{"date", "Due on 3rd of June 2025.", "Due 2025-06-03."},
		{"date in digits", "Due on 31/12/2025.", "Due on December 31, 2025."},
		{"recurring", "S3 nightly", "S3 every night"},
		{"recurring days", "Deploys happen on Mondays and Thursdays.", "Deploys happen every Monday and Thursday."},
		{"rate", "Rent is $1,200/month.", "Rent is 1200 USD per month."},
		{"bound", "Use at least 12 characters.", "Use 12 or more characters."},
		{"range", "Away from Monday to Friday.", "Away Monday-Friday."},
		{"weekday of a date", "The AGM is on 2027-03-06.", "The AGM is on Saturday 6 March 2027."},
		{"quarter of a year", "Fixed from Q3 on.", "Fixed from the third quarter on."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if v := Compare(Of(test.a), Of(test.b)); v.Kind != Same {
				t.Errorf("%s\n%s\n%v %v %q %q", test.a, test.b, v.Kind, v.Class, v.A.Tokens, v.B.Tokens)
			}
		})
	}
}

func TestDiffers(t *testing.T) {
	for _, test := range []struct {
		class Class
		a, b  string
		want  string // the tokens of a / those of b
	}{
		{Number, "Retry a failed upload 13 times.", "Retry a failed upload 3 times.", "13 times / 3 times"},
		{Number, "Python 3.10 is required.", "Python 3.1 is required.", "3.10 / 3.1"},
		{Number, "The pool holds 64 MiB.", "The pool holds 64 MB.", "64 MiB / 64 MB"},
		{Number, "The tax return is due on 4 May.", "The tax return is due on 5 April.", "4 May / 5 April"},
		{Number, "The weekly retro starts at 14:00 CET.", "The weekly retro starts at 14:00 UTC.", "14:00 CET / 14:00 UTC"},
		{Number, "More than 3 retries fail.", "At least 3 retries fail.", "More than 3 / At least 3"},
		{Number, "Feed it twice a week.", "Feed it twice a day.", "week / day"},
		{Number, "Wash the wool at -18 degrees.", "Wash the wool at 18 degrees.", "-18 degrees / 18 degrees"},
		{Negation, "The gate is locked.", "The gate isn't locked.", " / isn't"},
		{Negation, "Email Ann, never call Bob.", "Never email Ann, call Bob.", "never call / Never email"},
		{Negation, "Tracing is enabled in staging.", "Tracing is disabled in staging.", "enabled / disabled"},
		{Negation, "The patch resolved the leak.", "The patch failed to resolve the leak.", " / failed"},
		{Modality, "Guests may park here.", "Guests must park here.", "may / must"},
		{Modality, "Marek was the treasurer.", "Marek is the treasurer.", "was / is"},
		{Modality, "Ana lived in Porto.", "Ana lives in Porto.", "lived / lives"},
		{Condition, "Restart it if the alarm fires.", "Restart it unless the alarm fires.", "if / unless"},
		{Condition, "All checks pass here.", "Any check passes here.", "All / Any"},
		{Condition, "Only admins can delete.", "Admins can only delete.", "Only admins / only delete"},
		{Condition, "The form is due by Friday.", "The form is due on Friday.", "Friday / Friday"},
		{Negation, "You don't need to restart it.", "You must not restart it.", ""},
		{Surplus, "The AGM is on 6 March 2027.", "The AGM is on Sunday 6 March 2027.", " / Sunday"},
		{Variant, "The Pixel 9 needs a case.", "The Pixel 9 Pro needs a case.", " / Pro"},
		{Variant, "Acme is on the enterprise plan.", "Acme is on the enterprise plus plan.", " / plus"},
		{Entity, "Yusuf owns the ledger.", "Yasmin owns the ledger.", "Yusuf / Yasmin"},
		{Entity, "The spare key is with Mrs Doyle.", "The spare key is with Mrs Boyle.", "Doyle / Boyle"},
		{Entity, "It lives in libs/core/Tip.tsx today.", "It lives in libs/forms/Tip.tsx today.", "libs/core/Tip.tsx / libs/forms/Tip.tsx"},
		{Entity, "The site uses HTTPS everywhere.", "The site uses HTTP everywhere.", "HTTPS / HTTP"},
		{Entity, "His plane lands in Oslo.", "Her plane lands in Oslo.", "His / Her"},
		{Role, "Alice emailed Bob.", "Bob emailed Alice.", ""},
		{Role, "Sync from HubSpot to Salesforce.", "Sync from Salesforce to HubSpot.", ""},
		{Role, "Anya prefers tea over coffee.", "Anya prefers coffee over tea.", ""},
		{Role, "Replace foo with bar.", "Replace bar with foo.", ""},
		{Role, "The proxy calls the ledger.", "The proxy is called by the ledger.", ""},
		{Role, "Give Ann Bob's keys.", "Give Bob Ann's keys.", ""},
		{Role, "He took two of the three pills.", "He took three of the two pills.", ""},
		{Role, "Run a, then b.", "Run b, then a.", ""},
		{Role, "Ada works as a nurse in Hull.", "Ada works with a nurse in Hull.", "as nurse / with nurse"},
		{Role, "The pump failed because the fuse blew.", "The pump failed so the fuse blew.", "because / so"},
		{Role, "The pump failed because the fuse blew.", "The fuse blew because the pump failed.", ""},
		{Role, "My brother's dog bit me.", "My dog bit my brother.", ""},
		{Substitution, "The house has a cellar.", "The house is a cellar.", "has / is"},
		{Substitution, "Dana is allergic to penicillin.", "Dana is allergic to ibuprofen.", "penicillin / ibuprofen"},
		{Entity, "Open the `{` on the same line.", "Open the `[` on the same line.", ""},
		{Surplus, "Marek plays the oboe.", "Marek plays the oboe and the flute.", " / flute"},
		{Surplus, "We write C.", "We write C and Rust.", ""},
	} {
		t.Run(test.a, func(t *testing.T) {
			v := Compare(Of(test.a), Of(test.b))
			if v.Kind != Differs || v.Class != test.class {
				t.Errorf("%s\n%s\n%v %v, want %v", test.a, test.b, v.Kind, v.Class, test.class)
			}
			got := strings.Join(v.A.Tokens, " ") + " / " + strings.Join(v.B.Tokens, " ")
			if diff := cmp.Diff(test.want, got); test.want != "" && diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApart(t *testing.T) {
	for _, test := range []struct{ a, b string }{
		{"The kettle is in the kitchen.", "Deploys are frozen in December."},
		{"The van keys hang by the back door.", "Keys of the session cache expire."},
		{"", "The kettle is on."},
		{"the", "a"},
	} {
		if v := Compare(Of(test.a), Of(test.b)); v.Kind != Apart || v.Class != None || v.A.Tokens != nil {
			t.Errorf("%q and %q: %v %v", test.a, test.b, v.Kind, v.Class)
		}
	}
}

func TestCoverage(t *testing.T) {
	v := Compare(Of("Marek plays oboe."), Of("Marek plays oboe, flute, violin."))
	if v.A.Coverage != 1 || v.B.Coverage != 0.6 {
		t.Errorf("coverage %v and %v, want 1 and 0.6", v.A.Coverage, v.B.Coverage)
	}
}

// A claim beyond the cap is compared by its head, which cannot say "same".
func TestLongClaim(t *testing.T) {
	head := strings.Repeat("alpha beta gamma delta ", maxTokens/4)
	a, b := Of(head+"one ending"), Of(head+"another ending")
	if v := Compare(a, b); v.Kind != Differs || v.Class != Surplus {
		t.Errorf("%v %v, want differs surplus", v.Kind, v.Class)
	}
	if v := Compare(a, Of(a.Text())); v.Kind != Same {
		t.Errorf("a long claim is not the same as itself")
	}
}

func TestWordsAreSorted(t *testing.T) {
	all := strings.Split(strings.TrimSuffix(words, "\n"), "\n")
	for i, w := range all {
		if i > 0 && all[i-1] >= w || !letters(w) {
			t.Fatalf("line %d: %q", i+1, w)
		}
		if !known(w) {
			t.Fatalf("%q is not found", w)
		}
	}
	for _, w := range []string{"", "a", "aaa", "zzz", "alergic"} {
		if known(w) {
			t.Errorf("%q is found", w)
		}
	}
}

func TestStem(t *testing.T) {
	for w, want := range map[string]string{
		"policies": "policy", "boxes": "box", "caches": "cache", "classes": "class", "tomatoes": "tomato", "tomatos": "tomato",
		"planned": "plan", "hoped": "hope", "hopping": "hop", "labelled": "label", "caused": "cause", "visited": "visit",
		"using": "use", "running": "run", "organised": "organize", "harbour": "harbor", "metres": "meter", "news": "news",
		"status": "status", "https": "https", "webhooks": "webhook", "backwards": "backward", "spring": "spring", "four": "four",
	} {
		if got := stem(w); got != want {
			t.Errorf("stem(%q) = %q, want %q", w, got, want)
		}
	}
}
