package same

import "testing"

// TestQuantities compares what two amounts measure; each stands in a claim of
// its own, so that it is read as it would be there.
func TestQuantities(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"5 s", "5000 ms", true},
		{"90 seconds", "1.5 minutes", true},
		{"14 days", "two weeks", true},
		{"12 months", "1 year", true},
		{"30 days", "a month", true},
		{"4 weeks", "a month", false},
		{"a fortnight", "14 days", true},
		{"2 GB", "2048 MB", true},
		{"2 GB", "2000 MB", true},
		{"2 GB", "2 Gb", false},
		{"64 MiB", "64 MB", false},
		{"100 Mbps", "100 Mbit/s", true},
		{"12.5%", "12.5 per cent", true},
		{"half", "50 %", true},
		{"a quarter of it", "25% of it", true},
		{"0.5 litres", "half a liter", true},
		{"$1.2M", "1.2 million dollars", true},
		{"12k euros", "€12,000", true},
		{"GBP 75", "£75", true},
		{"£75", "$75", false},
		{"£4.50", "4.50 pounds", true},
		{"100 lb", "100 pounds", true},
		{"six feet", "6 ft", true},
		{"6 ft", "6 m", false},
		{"5m", "5 minutes", true},
		{"5m", "5 metres", true},
		{"5 miles", "8 km", true},
		{"two hundred and fifty", "250", true},
		{"twenty-eight", "28", true},
		{"three dozen", "36", true},
		{"1,950", "1950", true},
		{"1.95", "1950", false},
		{"2nd", "second", true},
		{"2nd", "2", false},
		{"'87", "1987", true},
		{"'22", "2022", true},
		{"007", "7", false},
		{"1.26.4", "1.26.04", false},
		{"10.0.0.1", "10.0.0.11", false},
		{"up to 6", "at most six", true},
		{"no more than 6", "6 or fewer", true},
		{"over 6", "6", false},
		{"18+", "18 or older", true},
		{"~8", "about 8", true},
		{"-5 °C", "minus five degrees Celsius", true},
		{"98.6 °F", "37 °C", true},
		{"37 degrees", "37 °C", false},
		{"noon", "12:00", true},
		{"midnight", "0:00", true},
		{"12 am", "midnight", true},
		{"12 pm", "noon", true},
		{"6.15 am", "06:15", true},
		{"6.15 am", "6.15 pm", false},
		{"quarter to twelve at night", "23:45", true},
		{"16:00 CET", "3 pm UTC", true},
		{"16:00 CET", "16:00", false},
		{"8:40 in the evening", "20:40", true},
		{"3 May 2025", "2025-05-03", true},
		{"May 3, 2025", "3rd of May 2025", true},
		{"3 May", "3 May 2025", true},
		{"3 May 2024", "3 May 2025", false},
		{"05/03/2025", "3 May 2025", false},
		{"05/30/2025", "30 May 2025", true},
		{"2031-06", "June 2031", true},
		{"Aug 2029", "August 2029", true},
	} {
		a, b := "The figure on the label is "+test.a, "The figure on the label is "+test.b
		if v := Compare(Of(a), Of(b)); (v.Kind == Same) != test.same {
			t.Errorf("%s and %s: %v %v", test.a, test.b, v.Kind, v.Class)
		}
	}
}
