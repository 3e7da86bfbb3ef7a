package lockyard

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
)

var isKey = regexp.MustCompile("^[!-~]+$")

// apiKey is the key in use: the given one, or that of the environment.
type apiKey struct {
	isGiven bool
	mutex   sync.Mutex
	text    string
}

func newAPIKey(given string) (*apiKey, error) {
	text, err := usableKey(given)
	return &apiKey{isGiven: given != "", text: text}, err
}

// usableKey is the given key, or if empty that of the environment.
func usableKey(given string) (string, error) {
	key := given
	if key == "" {
		var err error
		if key, err = environmentKey(); err != nil {
			return "", err
		}
	}
	if key == "" {
		return "", invalid("Missing option APIKey: pass it, or set LOCKYARD_API_KEY.")
	}
	if key = strings.TrimSpace(key); !isKey.MatchString(key) {
		return "", invalid("The API key has characters that no key has.")
	}
	return key, nil
}

// use calls once more with another key if the first is refused, for then nothing was done.
func (k *apiKey) use(call func(key string) error) error {
	used := k.present()
	err := call(used)
	var failure *Error
	isRefused := errors.As(err, &failure) && failure.Reason == ReasonUnauthenticated
	if isRefused && k.replace(used) {
		return call(k.present())
	}
	return err
}

func (k *apiKey) present() string {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.text
}

// replace reads the file of the environment again, in case the refused key was rotated, and reports
// whether another key is in use now. A file that cannot be read changes nothing.
func (k *apiKey) replace(refused string) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if !k.isGiven && k.text == refused {
		if text, err := usableKey(""); err == nil {
			k.text = text
		}
	}
	return k.text != refused
}

// environmentKey is LOCKYARD_API_KEY, or the content of the file that LOCKYARD_API_KEY_FILE names.
func environmentKey() (string, error) {
	key, file := os.Getenv("LOCKYARD_API_KEY"), os.Getenv("LOCKYARD_API_KEY_FILE")
	if file == "" {
		return key, nil
	}
	if key != "" {
		return "", invalid("LOCKYARD_API_KEY and LOCKYARD_API_KEY_FILE are both set: set one.")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", invalid("The file of LOCKYARD_API_KEY_FILE cannot be read: %v", err)
	}
	if text := strings.TrimRight(string(content), "\r\n"); text != "" {
		return text, nil
	}
	return "", invalid("The file of LOCKYARD_API_KEY_FILE is empty: %s", file)
}
