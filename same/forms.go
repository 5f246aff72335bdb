package same

import (
	"strings"
	"sync"
)

// respelled are British forms that no rule of endings explains.
var respelled = pairs(`
grey gray, licence license, licences licenses, practise practice, practises practices, practised practiced,
practising practicing, defence defense, offence offense, cheque check, cheques checks, tyre tire, tyres tires,
kerb curb, mould mold, plough plow, aluminium aluminum, programme program, programmes programs, artefact artifact,
artefacts artifacts, enrol enroll, enrols enrolls, fulfil fulfill, fulfils fulfills, skilful skillful, jewellery jewelry,
pyjamas pajamas, moustache mustache, mum mom, mums moms, ageing aging, judgement judgment, whilst while,
amongst among, cosy cozy, sceptical skeptical, storeys stories, instalment installment, instalments installments,
manoeuvre maneuver, haemoglobin hemoglobin, anaemia anemia, oestrogen estrogen, paediatric pediatric,
paediatrician pediatrician, orthopaedic orthopedic, anaesthetic anesthetic, diarrhoea diarrhea, sulphur sulfur,
draught draft, draughts drafts, learnt learn, doughnut donut, doughnuts donuts, yoghurt yogurt, yoghurts yogurts,
chilli chili, omelette omelet, maths math, speciality specialty, carburettor carburetor, tonne ton, tonnes tons,
metre meter, metres meters, litre liter, litres liters, centre center, centres centers, centred centered, percent percent,
towards toward, backwards backward, forwards forward, afterwards afterward, upwards upward, downwards downward,
e-mail email`)

// irregular are forms whose base no ending shows, and words that only look
// inflected.
var irregular = pairs(`
went go, gone go, goes go, ran run, took take, taken take, gave give, given give, came come, became become,
began begin, begun begin, broke break, broken break, chose choose, chosen choose, drove drive, driven drive,
drank drink, drunk drink, ate eat, eaten eat, fell fall, fallen fall, flew fly, flown fly, forgot forget,
forgotten forget, froze freeze, frozen freeze, grew grow, grown grow, knew know, known know, lost lose, meant mean,
rode ride, ridden ride, rose rise, risen rise, sang sing, sung sing, sat sit, shook shake, shaken shake, shot shoot,
shown show, slept sleep, spent spend, stood stand, stole steal, stolen steal, swam swim, swum swim, swore swear,
sworn swear, taught teach, thought think, threw throw, thrown throw, understood understand, woke wake, woken wake,
wore wear, worn wear, won win, wrote write, written write, rewrote rewrite, rewritten rewrite, caught catch,
brought bring, fought fight, hung hang, hid hide, hidden hide, led lead, fed feed, bred breed, dealt deal,
burnt burn, learnt learn, spelt spell, spoilt spoil, dreamt dream, leant lean, said say, told tell, kept keep,
held hold, met meet, made make, built build, rebuilt rebuild, bought buy, sold sell, got get, gotten get,
sent send, resent resend, lent lend, paid pay, repaid repay, bit bite, bitten bite, blew blow, blown blow, drew draw,
drawn draw, spoke speak, spoken speak, heard hear, felt feel, found find, sought seek, slid slide, stuck stick,
struck strike, swept sweep, tore tear, torn tear, wept weep, wound wind, overrode override, overridden override,
children child, men man, women woman, people person, feet foot, teeth tooth, mice mouse, geese goose,
knives knife, wives wife, shelves shelf, halves half, wolves wolf, loaves loaf, indices index, indexes index,
vertices vertex, criteria criterion, matrices matrix, analyses analysis, crises crisis, theses thesis,
does do, did do, done do, news news, lens lens, lenses lens, always always, series series, species species,
during during, morning morning, mornings morning, evening evening, evenings evening, spring spring, springs spring,
address address, addresses address, addressed address, bus bus, buses bus, gas gas, glasses glasses, goods goods,
this this, less less, plus plus, thus thus, building building, buildings building, meeting meeting, meetings meeting,
pass pass, passes pass, red red, hundred hundred, united united, lives live, leaves leave, dies die, died die,
lies lie, lied lie, ties tie, tied tie, cookies cookie, emojis emoji, movies movie, being be, been be`)

// pairs reads "from to, from to" when it is first asked for.
func pairs(text string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		table := map[string]string{}
		for entry := range strings.SplitSeq(text, ",") {
			if f := strings.Fields(entry); len(f) == 2 {
				table[f[0]] = f[1]
			}
		}
		return table
	})
}
