package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// run runs a script that is safe to repeat. The client repeats it if it gets no
// reply.
func (s *operations) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (any, error) {
	return s.runBounded(ctx, s.client, script, keys, args)
}

// runOnce runs a script that is not safe to repeat. It is sent only once.
func (s *operations) runOnce(ctx context.Context, script *redis.Script, keys []string, args ...any) (any, error) {
	return s.runBounded(ctx, onceClient{s.client}, script, keys, args)
}

// runBounded runs a script and returns no later than its context is done. The
// client alone does not ensure this, because a cancelled context does not
// interrupt a network read.
func (s *operations) runBounded(ctx context.Context, client redis.Scripter, script *redis.Script, keys []string,
	args []any) (any, error) {
	if ctx.Err() != nil {
		return nil, failure(context.Cause(ctx))
	}
	args = append([]any{s.shift}, args...)
	type reply struct {
		value any
		err   error
	}
	replies := make(chan reply, 1)
	go func() {
		value, err := script.Run(ctx, client, keys, args...).Result()
		replies <- reply{value, err}
	}()
	select {
	case r := <-replies:
		if r.err != nil {
			return nil, failure(r.err)
		}
		return r.value, nil
	case <-ctx.Done():
		return nil, failure(context.Cause(ctx))
	}
}

// A onceClient sends a script at most once. If the server does not know the
// script, it did not run and is sent again in full.
type onceClient struct{ redis.UniversalClient }

// EvalSha shadows the client's method.
func (o onceClient) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return o.send(ctx, "evalsha", sha, keys, args)
}

// Eval shadows the client's method.
func (o onceClient) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return o.send(ctx, "eval", script, keys, args)
}

func (o onceClient) send(ctx context.Context, name, script string, keys []string, args []any) *redis.Cmd {
	words := []any{name, script, len(keys)}
	for _, key := range keys {
		words = append(words, key)
	}
	cmd := redis.NewCmd(ctx, append(words, args...)...)
	cmd.SetFirstKeyPos(3)
	if err := o.Process(ctx, noRetry{cmd}); err != nil && cmd.Err() == nil {
		cmd.SetErr(err) // a hook of the client refused the command
	}
	return cmd
}

type noRetry struct{ *redis.Cmd }

// NoRetry makes the client send the command only once.
func (noRetry) NoRetry() bool { return true }
