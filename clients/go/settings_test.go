package lockyard

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMetaOfAProcessIsCutBetweenCharacters(t *testing.T) {
	t.Setenv("GITHUB_RUN_ID", strings.Repeat("a", 99)+"ß")
	if cut := processMeta()["ciRun"]; cut != strings.Repeat("a", 99) {
		t.Fatalf("cut to %q", cut)
	}
}

func TestMetaOfAProcessIsTextWhateverTheEnvironmentHas(t *testing.T) {
	t.Setenv("GITHUB_RUN_ID", "run\xff7")
	if name := processMeta()["ciRun"]; !utf8.ValidString(name) {
		t.Fatalf("%q", name)
	}
}
