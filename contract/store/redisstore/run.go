package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// run runs a script that changes nothing more when it is repeated, which the client may do when it hears
// nothing.
func (s *Store) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (any, error) {
	return s.bounded(ctx, s.client, script, keys, args)
}

// runOnce runs a script whose repetition would do or say something else. It is sent once.
func (s *Store) runOnce(ctx context.Context, script *redis.Script, keys []string, args ...any) (any, error) {
	return s.bounded(ctx, once{s.client}, script, keys, args)
}

// bounded returns no later than the context ends. The client alone does not see to that: a context that is
// cancelled does not wake a read from the network.
func (s *Store) bounded(ctx context.Context, client redis.Scripter, script *redis.Script, keys []string, args []any) (any, error) {
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

// once is a client that sends a script at most once. Where the script is not known to the server it has not
// run, and is sent in full.
type once struct{ redis.UniversalClient }

// EvalSha replaces that of the client.
func (o once) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return o.send(ctx, "evalsha", sha, keys, args)
}

// Eval replaces that of the client.
func (o once) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return o.send(ctx, "eval", script, keys, args)
}

func (o once) send(ctx context.Context, name, script string, keys []string, args []any) *redis.Cmd {
	words := []any{name, script, len(keys)}
	for _, key := range keys {
		words = append(words, key)
	}
	cmd := redis.NewCmd(ctx, append(words, args...)...)
	cmd.SetFirstKeyPos(3)
	if err := o.Process(ctx, noRetry{cmd}); err != nil && cmd.Err() == nil {
		cmd.SetErr(err) // what a hook of the client refused
	}
	return cmd
}

type noRetry struct{ *redis.Cmd }

// NoRetry tells the client so.
func (noRetry) NoRetry() bool { return true }
