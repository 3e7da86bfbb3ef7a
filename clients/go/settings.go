package lockyard

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Version is sent with every hold, unless Options has another.
const Version = "lockyard-go 0.1.0"

const (
	metaMaxBytes         = 1_024
	initialTimeNamespace = "4026531834"
)

// addresses are the addresses of one Lockyard, of which one is in use: the first until it fails,
// then the next.
type addresses struct {
	all   []string
	mutex sync.Mutex
	at    int
}

func readAddresses(text string) (*addresses, error) {
	entries := strings.Split(text, ",")
	read := &addresses{}
	for at, entry := range entries {
		subject := "Lockyard's URL"
		if len(entries) > 1 {
			subject = fmt.Sprintf("Entry %d of Lockyard's URLs", at+1)
		}
		address, err := readURL(strings.TrimSpace(entry), subject)
		if err != nil {
			return nil, err
		}
		for _, other := range read.all {
			if other == address {
				return nil, invalid("%s repeats an earlier one.", subject)
			}
		}
		read.all = append(read.all, address)
	}
	return read, nil
}

func (a *addresses) inOrder() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return append(append([]string{}, a.all[a.at:]...), a.all[:a.at]...)
}

// leave moves to the next one if address is in use: several calls may notice the same failure.
func (a *addresses) leave(address string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.all[a.at] == address {
		a.at = (a.at + 1) % len(a.all)
	}
}

// readURL never quotes what it refuses, since that may be a secret.
func readURL(text, subject string) (string, error) {
	if text == "" {
		return "", invalid("%s is empty.", subject)
	}
	parsed, err := url.Parse(text)
	isHTTP := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https")
	if !isHTTP || parsed.Hostname() == "" || !isPort(parsed.Port()) {
		return "", invalid("%s must be an http or https URL, such as http://127.0.0.1:3000.", subject)
	}
	if parsed.User != nil {
		return "", invalid("%s must not contain a user or a password.", subject)
	}
	if strings.ContainsAny(text, "?#") {
		return "", invalid("%s must not have a query or a fragment.", subject)
	}
	return strings.TrimRight(text, "/"), nil
}

// isPort says whether a connection can be made to a port; an empty one is that of the scheme.
func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil
}

// newRequestID is globally unique: for request ids and default owners.
func newRequestID() string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(16))
}

// random is less than limit. Not from math/rand, which before Go 1.20 starts with the same seed in
// every process.
func random(limit time.Duration) time.Duration {
	return time.Duration(binary.BigEndian.Uint64(randomBytes(8)) % uint64(limit))
}

func randomBytes(count int) []byte {
	bytes := make([]byte, count)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return bytes
}

// processMeta identifies this process in the meta of its holds, so that a witness can observe it.
func processMeta() map[string]string {
	host, _ := os.Hostname()
	meta := map[string]string{"host": cutText(host, 60), "pid": strconv.Itoa(os.Getpid())}
	addKernelIdentity(meta)
	if os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		addFirst(meta, "pod", os.Getenv("POD_NAME"), os.Getenv("HOSTNAME"))
	}
	addFirst(meta, "ciRun", os.Getenv("GITHUB_RUN_ID"), os.Getenv("CI_JOB_ID"),
		os.Getenv("BUILDKITE_JOB_ID"), os.Getenv("BUILD_TAG"))
	return meta
}

func addFirst(meta map[string]string, key string, values ...string) {
	for _, value := range values {
		if text := cutText(value, 100); text != "" {
			meta[key] = text
			return
		}
	}
}

// cutText cuts between characters and leaves out bytes that are not UTF-8: json.Marshal would
// replace them by U+FFFD.
func cutText(text string, maxBytes int) string {
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	return strings.ToValidUTF8(text, "")
}

// addKernelIdentity adds nothing if the kernel does not report it, or the report could be misread.
func addKernelIdentity(meta map[string]string) {
	bootID, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	stat, _ := os.ReadFile("/proc/self/stat")
	self, _ := os.Readlink("/proc/self")
	pidNamespace := namespaceOf("pid", "")
	isOurs := self == strconv.Itoa(os.Getpid())
	// The second field is the program's name in brackets, and may contain spaces and brackets.
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	if len(bootID) == 0 || pidNamespace == "" || !isOurs || len(fields) < 20 ||
		namespaceOf("time", initialTimeNamespace) != initialTimeNamespace {
		return
	}
	meta["bootId"] = strings.TrimSpace(string(bootID))
	meta["pidNamespace"] = pidNamespace
	meta["pidStart"] = fields[19]
}

var inBrackets = regexp.MustCompile(`\[(\d+)\]$`)

func namespaceOf(kind, otherwise string) string {
	link, err := os.Readlink("/proc/self/ns/" + kind)
	found := inBrackets.FindStringSubmatch(link)
	if err != nil || found == nil {
		return otherwise
	}
	return found[1]
}

// metaWith has the caller's entries, which take precedence, and what identifies the process; of
// that only host, pid and version if there is no room for all.
func metaWith(identity, own map[string]string) map[string]string {
	whole := map[string]string{}
	plain := map[string]string{}
	for key, value := range identity {
		whole[key] = value
		if key == "host" || key == "pid" || key == "version" {
			plain[key] = value
		}
	}
	for key, value := range own {
		whole[key], plain[key] = value, value
	}
	if text, err := json.Marshal(whole); err == nil && len(text) <= metaMaxBytes {
		return whole
	}
	return plain
}
