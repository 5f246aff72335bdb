package same

import (
	"strings"
	"sync"
)

// class is what a token does to the meaning of a claim.
type class uint8

const (
	content class = iota // says something: must be aligned
	function
	preposition // ignored, but it governs what follows
	pronoun
	being // is and was: only their tense counts
	negator
	modal
	limit // quantifiers, conditions, comparisons, "or"
	focus // only, even
)

// entry is what the lexicon knows of a word.
type entry struct {
	canon string
	class class
	// level is the strength of a modal or the person of a pronoun.
	level uint8
}

// lexicon holds every word that has a class of its own. A word after "=" is
// what those before it mean.
var lexicon = sync.OnceValue(func() map[string]entry {
	table := map[string]entry{}
	add := func(c class, level uint8, text string) {
		for line := range strings.SplitSeq(text, ",") {
			forms, canon, shared := strings.Cut(line, "=")
			for w := range strings.FieldsSeq(forms) {
				e := entry{w, c, level}
				if shared {
					e.canon = strings.TrimSpace(canon)
				}
				table[w] = e
			}
		}
	}
	add(function, 0, `the a an=the, that this these those which who whom=that, there, have has had having=have, do does did=do,
		please kindly=please, also too additionally=also, then, so therefore thus hence consequently=so,
		because=because, & + plus and=and, still, currently now presently=now, but though although yet however whereas=but,
		about around approximately roughly circa approx ca ~=about, whose, namely ie,
		simply, user's, etc, indeed, altogether`)
	add(preposition, 0, `of, in into inside within=in, at, on onto upon=on, to, for, with using=with, by, from, via through thru=via, as, during`)
	add(pronoun, 1, `i me my mine we us our ours myself ourselves=i`)
	add(pronoun, 2, `you your yours yourself=you`)
	add(pronoun, 3, `he him his himself=he`)
	add(pronoun, 4, `she her hers herself=she`)
	add(pronoun, 5, `it its itself they them their theirs themselves=it`)
	add(being, 0, `is are am=is, was were=was, be been being=be`)
	add(negator, 0, `not no never non cannot without=not`)
	add(negator, 0, `none, nobody, nothing, neither, nor, nowhere, hardly, barely`)
	add(modal, 1, `may might can could=can`)
	add(modal, 2, `should ought=should`)
	add(modal, 3, `must shall=must`)
	add(modal, 4, `will would=will`)
	add(limit, 0, `every each all per=every, any, some, most, many, few, fewer, several, both, either, everyone everybody=everyone,
		anyone anybody=anyone, always, often, sometimes, usually normally generally typically=usually, rarely seldom=rarely, or, if, unless, when whenever=when, while,
		until till=until, before, after, once, except, whether, instead, more, less, least, than, almost nearly=almost,
		probably, maybe perhaps possibly=maybe, optionally, occasionally, since, anymore, >=, <=, >, <`)
	add(focus, 0, `only solely exclusively just merely=only, even`)
	return table
})

// contracted are contractions whose parts a rule would get wrong, and those
// written without their apostrophe.
var contracted = sync.OnceValue(func() map[string]string {
	table := map[string]string{
		"can't": "can not", "cant": "can not", "cannot": "can not", "won't": "will not", "wont": "will not",
		"shan't": "must not", "let's": "let us", "y'all": "you", "ain't": "is not", "w/o": "without",
	}
	for _, speed := range []string{"kph km hour", "kmh km hour", "mph miles hour", "kbps kbit second", "mbps mbit second", "gbps gbit second", "bpm beats minute"} {
		f := strings.Fields(speed)
		table[f[0]] = f[1] + " per " + f[2]
	}
	for verb := range strings.FieldsSeq("do does did is are was were has have had would should could must need might may ought dare") {
		table[verb+"n't"], table[verb+"nt"] = verb+" not", verb+" not"
	}
	return table
})

// phrases are several words that mean one, by the first; the first that fits
// is taken.
var phrases = sync.OnceValue(func() map[string][]phrase {
	table := map[string][]phrase{}
	for line := range strings.SplitSeq(phraseText, ",") {
		from, to, ok := strings.Cut(line, "=")
		if words := strings.Fields(from); ok {
			table[words[0]] = append(table[words[0]], phrase{words[1:], strings.TrimSpace(to)})
		}
	}
	return table
})

// phrase is what follows the first word, and what all together mean.
type phrase struct {
	rest []string
	to   string
}

const phraseText = `as well as=and, as soon as=once, as long as=if, provided that=if, prior to=before, next to=beside, in order to=to,
	in front of=before, due to=because, because of=because, owing to=because, thanks to=because, every time=when, each time=when,
	each and every=every, have to=must, has to=must, had to=must, need to=must, needs to=must, ought to=should,
	need not=optionally, not need to=optionally, not have to=optionally, is able to=can, are able to=can, able to=can, be able to=can, going to=will, used to=formerly, instead of=instead, rather than=instead,
	such as=like, a lot of=many, lots of=many, a couple of=two, a pair of=two, a dozen=twelve, per cent=percent, make sure=ensure, makes sure=ensure,
	by way of=via, by means of=via, except for=except, apart from=except, other than=except, even though=but, right now=now,
	at the moment=now, at present=now, at this time=now, mobile phone=mobile, cell phone=mobile, cellphone=mobile, pull request=pr, pull requests=pr,
	no longer=not anymore, any more=anymore, any longer=anymore, per annum=every year, up until=until, up to=until, up till=until, together with=with, along with=with, on top of=over, in spite of=despite,
	with the help of=with, by using=with, in addition to=and, carry out=perform, carries out=perform, carried out=perform, set up=setup, sets up=setup,
	at all times=always, all the time=always, once more=again, so that=so, every single=every, for each=every, for every=every, o clock=oclock,
	i e=ie, e g=eg, year old=yearold, by default=default, right away=immediately, straight away=immediately, at once=immediately, a few=several, a little=some, us dollars=dollars, us dollar=dollar, no one=nobody`

// aliases are short and long names of one thing.
var aliases = pairs(`prod production, db database, dbs database, repo repository, repos repository, pg postgres, postgresql postgres, k8s kubernetes,
	js javascript, ts typescript, py python, docs documentation, doc documentation, config configuration, configs configuration, conf configuration,
	env environment, envs environment, dev development, app application, apps application, admin administrator, admins administrator,
	info information, telephone phone, telephones phone, phones phone, photograph photo, fridge refrigerator, lab laboratory, ad advertisement, advert advertisement,
	vet veterinarian, spec specification, specs specification, param parameter, params parameter, arg argument, args argument,
	dir directory, folder directory, folders directory, temp temporary, tmp temporary, max maximum, min minimum, avg average,
	street st, saint st, road rd, avenue ave, doctor dr, mister mr, mount mt, department dept, university uni, versus vs,
	appt appointment, mgmt management, govt government, auth authentication, perms permission, msg message, msgs message,
	wi-fi wifi, mon monday, tue tuesday, tues tuesday, wed wednesday, thu thursday, thur thursday, thurs thursday,
	fri friday, mondays monday, tuesdays tuesday, wednesdays wednesday, thursdays thursday, fridays friday, saturdays saturday,
	sundays sunday, television tv, internet net, approx about, mum mom, mummy mom, kids child, kid child, dept dept, corp corporation, inc incorporated,
	ltd limited, ref reference, refs reference, pkg package, pkgs package, lib library, libs library, cert certificate, certs certificate,
	creds credential, exec executive, org organization, orgs organization, asap immediately, tel phone, mobiles mobile,
	cellphone mobile, northern north, southern south, eastern east, western west, weekdays weekday, fav favorite, mic microphone,
	veggies vegetable, veg vegetable, bday birthday, addr address, est estimate, intro introduction, memo memorandum`)

// groups are words that say the same in almost any claim, a line each.
var groups = sync.OnceValue(func() map[string]uint16 {
	table := map[string]uint16{}
	id := uint16(0)
	for line := range strings.SplitSeq(strings.TrimSpace(groupText), "\n") {
		id++
		for w := range strings.FieldsSeq(line) {
			table[w] = id
		}
	}
	return table
})

const groupText = `
begin start commence
end finish
buy purchase
require need
use utilize employ
permit allow
delete erase
remove drop
fix repair
picture photo image
movie film
large big
small little
quick fast rapid
rapidly quickly
ensure guarantee
beside by
under below beneath underneath
over above
get receive obtain
help assist
choose select pick
show display
close shut
call phone ring
colleague coworker
connect talk
error fault
reply respond answer
ask request
reside live
dr physician
vacation holiday
sofa couch
car automobile
keep retain
happen occur
refrigerator fridge
occasionally sometimes
automatically automatic
favorite preferred
kilo kilogram
cellar basement
autumn fall
trash rubbish garbage
elevator lift
apartment flat
invoice bill
build compile
throw discard
store save
email mail
mother mom
father dad
grandmother grandma gran granny
grandfather grandpa grandad granddad
daily day
manage handle
responsible charge
house home
contain hold
immediately instantly
correct right
wrong incorrect
whole entire
often frequently
yearly annually annual
password passphrase
forbid prohibit ban disallow
like enjoy
prefer favor
`

// opposites turn one into the other: a pair of them is a negation.
var opposites = pairs(`enable disable, enabled disabled, on off, open close, opened closed, allow forbid, allow disallow, allow ban, allow prohibit, permit forbid,
	include exclude, cover exclude, include omit, accept reject, accept refuse, remember forget, pass fail, succeed fail, safe unsafe, valid invalid,
	start stop, begin stop, like dislike, like hate, love hate, agree refuse, true false, grant deny, approve reject, lock unlock, encrypted unencrypted,
	win lose, present absent, public private, required optional, hot cold, active inactive, up down, add remove, keep drop, keep remove, mandatory optional,
	increase decrease, always never, with without, everyone nobody, anyone nobody, able unable, supported unsupported, stable unstable,
	possible impossible, legal illegal, visible hidden, connect disconnect, empty full, needed unneeded, necessary unnecessary, install uninstall, allow prevent`)

// denials deny the verb that follows them.
var denials = set(`fail refuse decline forget stop cease avoid deny reject forbid prevent disallow unable`)

// qualifiers tell one variant of a thing from another (M82, and tiers, stages
// and sides that products and files are named after).
var qualifiers = set(`pro max beta alpha rc preview legacy deprecated experimental mini ultra lite light plus basic premium enterprise
	free stable canary nightly draft final trial community standard home classic old new internal external public private staging production
	development test upper lower front back left right north south east west senior junior primary secondary main release remote
	local mobile desktop dark wet dry read-only`)

// heads may stand beside the identifier they announce without saying more.
var heads = set(`file directory flag variable branch repository command field name call user table bucket topic server service host column
	function module package parameter option setting script database endpoint key queue number`)

// set reads words when they are first asked for.
func set(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		table := map[string]bool{}
		for w := range strings.FieldsSeq(text) {
			table[w] = true
		}
		return table
	})
}
