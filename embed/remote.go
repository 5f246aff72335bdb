package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Protocol is how a server is spoken to.
type Protocol string

// The protocols. OpenAI is POST {url}/v1/embeddings, which many servers offer;
// Ollama is POST {url}/api/embed.
const (
	OpenAI Protocol = "openai"
	Ollama Protocol = "ollama"
)

// Server says where a model is served. It comes from the person's own settings
// alone: a repository that could name an endpoint could send away what people
// remember.
type Server struct {
	Protocol Protocol
	// URL is the base, without the path of the protocol.
	URL   string
	Model string
	// Key is sent as a bearer token when it is not empty.
	Key string
	// Dim is how many values a vector must have; 0 takes what the first answer
	// has.
	Dim int
	// Threshold is [DefaultThreshold] when it is 0.
	Threshold float64
	// Timeout bounds one request; 0 is 30 seconds.
	Timeout time.Duration
}

const (
	// batchTexts and batchBytes bound one request.
	batchTexts = 64
	batchBytes = 256 << 10
	// maxTries is how often a request is made; between two tries it waits, from
	// firstPause doubling, or as long as the server asks, up to longestPause.
	maxTries       = 4
	firstPause     = 250 * time.Millisecond
	longestPause   = 20 * time.Second
	defaultTimeout = 30 * time.Second
	// maxDim is more than any model has; it bounds what an answer may hold.
	maxDim = 1 << 14
	// maxNumber is how many bytes one value of a vector takes in JSON.
	maxNumber = 32
)

// Remote is an Embedder that asks a server. Any number of goroutines may use it.
type Remote struct {
	server   Server
	endpoint string
	client   *http.Client
	dim      atomic.Int64
	pause    time.Duration
}

// NewRemote checks a server's settings. Nothing is sent yet. Refusals are
// InvalidFlag failures that name the setting.
func NewRemote(server Server) (*Remote, error) {
	base, err := url.Parse(server.URL)
	switch {
	case server.Protocol != OpenAI && server.Protocol != Ollama:
		return nil, misset("use", "is neither openai nor ollama")
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return nil, misset("url", "is no http or https address")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, misset("url", "has more than a scheme, a host and a path; a key belongs into its own setting")
	case server.Key != "" && base.Scheme == "http" && !loopback(base.Hostname()):
		return nil, misset("url", "would send the key unencrypted to another machine; use https")
	case strings.ContainsFunc(server.Key, unicode.IsControl):
		return nil, misset("key", "has a line end or another control character in it")
	case server.Model == "":
		return nil, misset("model", "is empty")
	case server.Dim < 0 || server.Dim > maxDim:
		return nil, misset("dimensions", fmt.Sprintf("is not between 0 and %d", maxDim))
	case !(server.Threshold >= 0 && server.Threshold <= 1):
		return nil, misset("threshold", "is not between 0 and 1")
	case server.Timeout < 0:
		return nil, misset("timeout", "is negative")
	}
	if server.Threshold == 0 {
		server.Threshold = DefaultThreshold
	}
	if server.Timeout == 0 {
		server.Timeout = defaultTimeout
	}
	r := &Remote{server: server, endpoint: base.JoinPath(dialects[server.Protocol].path).String(), pause: firstPause}
	// A redirect could lead the texts and the key to a host that nobody named.
	r.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r.dim.Store(int64(server.Dim))
	return r, nil
}

func misset(field, why string) error {
	return failure.New(failure.InvalidFlag, "embedder.%s %s.", field, why).Suggest("Change it in your settings.")
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ID implements [Embedder]: the model as its protocol knows it, and the
// dimensions that were asked for, since a model that is asked for fewer answers
// in another space.
func (r *Remote) ID() string {
	id := string(r.server.Protocol) + ":" + r.server.Model
	if r.server.Dim > 0 {
		id += "@" + strconv.Itoa(r.server.Dim)
	}
	return id
}

// Dim implements [Embedder].
func (r *Remote) Dim() int { return int(r.dim.Load()) }

// Threshold implements [Embedder].
func (r *Remote) Threshold() float64 { return r.server.Threshold }

// Embed implements [Embedder]. It makes one request for each 64 texts or 256 KB
// and repeats one that the server could not serve at the moment.
func (r *Remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := batch(texts)
		some, err := r.ask(ctx, texts[:n])
		if err != nil {
			return nil, r.failed(ctx, err)
		}
		if err := r.accept(some); err != nil {
			return nil, err
		}
		vectors, texts = append(vectors, some...), texts[n:]
	}
	return vectors, nil
}

// batch is how many of the texts go into one request, at least one.
func batch(texts []string) int {
	size := 0
	for i, text := range texts {
		if size += len(text); i > 0 && (i == batchTexts || size > batchBytes) {
			return i
		}
	}
	return len(texts)
}

// accept scales the vectors and refuses those that are not of one space.
func (r *Remote) accept(vectors [][]float32) error {
	for _, v := range vectors {
		r.dim.CompareAndSwap(0, int64(len(v)))
		if dim := r.Dim(); len(v) != dim {
			return failure.New(failure.EmbedModelMismatch, "The embedder answered with %d dimensions in place of %d.", len(v), dim).
				Suggest("Set the model or its dimensions to what the server has.")
		}
		if !Unit(v) {
			return failure.New(failure.ModelUnavailable, "The embedder answered with a vector that has no direction.").
				Suggest("Check the model on the server.")
		}
	}
	return nil
}

// ask makes one request, and again while it may help.
func (r *Remote) ask(ctx context.Context, texts []string) ([][]float32, error) {
	pause := r.pause
	for try := 1; ; try++ {
		vectors, err := r.post(ctx, texts)
		var later *laterError
		if err == nil || try == maxTries || !errors.As(err, &later) {
			return vectors, err
		}
		wait := min(max(pause/2+rand.N(pause), later.after), longestPause)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		pause *= 2
	}
}

// laterError is a failure that another try may not meet.
type laterError struct {
	err error
	// after is what the server asked to wait.
	after time.Duration
}

func (e *laterError) Error() string { return e.err.Error() }
func (e *laterError) Unwrap() error { return e.err }

// statusError is an answer that is no success.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

// post makes one request.
func (r *Remote) post(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, r.server.Timeout)
	defer cancel()
	d := dialects[r.server.Protocol]
	req, err := r.request(ctx, d.request(r.server, texts))
	if err != nil {
		return nil, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, &laterError{err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(texts)*maxDim*maxNumber)+1))
	if err != nil {
		return nil, &laterError{err: err}
	}
	return d.vectors(answer, len(texts))
}

func (r *Remote) request(ctx context.Context, content any) (*http.Request, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.server.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.server.Key)
	}
	return req, nil
}

// refused is the error of an answer that is no success.
func refused(resp *http.Response) error {
	err := statusError(resp.StatusCode)
	if err != http.StatusTooManyRequests && err != http.StatusRequestTimeout && err < http.StatusInternalServerError {
		return err
	}
	return &laterError{err: err, after: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
}

// retryAfter is the wait that a header asks for, in seconds or until a date; 0 is
// as good as none.
func retryAfter(header string, now time.Time) time.Duration {
	if s, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(s, 0), int(longestPause/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), longestPause)
	}
	return 0
}

// failed is the failure that callers are told. What the server said is not
// passed on: it may repeat the texts.
func (r *Remote) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return failure.New(failure.Cancelled, "The embedder was not asked: the work was cancelled.").Wrap(err)
	}
	what, todo := "cannot be reached", "Start it, or check its url in your settings."
	var status statusError
	var timeout net.Error
	switch {
	case errors.As(err, &status) && (status == http.StatusUnauthorized || status == http.StatusForbidden):
		what, todo = "refuses the key", "Check the key in your settings or environment."
	case errors.As(err, &status) && status == http.StatusNotFound:
		what, todo = "does not know the model or the path", "Check the url and the model in your settings."
	case errors.As(err, &status) && status >= 300 && status < 400:
		what, todo = "sends on to another address, which is not followed", "Set its url in your settings to where it is."
	case errors.As(err, &status):
		what, todo = fmt.Sprintf("answers with status %d", int(status)), "Look into its log, or try again later."
	case errors.As(err, &timeout) && timeout.Timeout():
		what, todo = fmt.Sprintf("does not answer within %s", r.server.Timeout), "Try again later, or raise the timeout in your settings."
	case errors.Is(err, errNotUnderstood):
		what, todo = "answers with something else than vectors", "Check the url and the protocol in your settings."
	}
	return failure.New(failure.ModelUnavailable, "The embedder %s.", what).Suggest(todo).Wrap(err)
}
