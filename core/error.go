package core

import (
	"context"
	"errors"
)

// Code says what kind of failure an [Error] is, for programs.
type Code string

// The kinds of failure.
const (
	CodeInvalid       Code = "invalid"        // what was asked is wrong
	CodeNotFound      Code = "not_found"      // there is no such thing
	CodeConflict      Code = "conflict"       // it is there already
	CodeBusy          Code = "busy"           // somebody else is at it
	CodeRefused       Code = "refused"        // not allowed
	CodeUnreachable   Code = "unreachable"    // the network, a model, an expert does not answer
	CodeTimedOut      Code = "timeout"        // it took too long
	CodeCancelled     Code = "cancelled"      // the user stopped it
	CodeRateLimited   Code = "rate_limited"   // too many requests
	CodeNoModel       Code = "no_model"       // the model cannot be used at all
	CodeContextFull   Code = "context_full"   // the conversation is longer than the model can read
	CodeMaxTurns      Code = "max_turns"      // the turn limit was reached without an answer
	CodeTurnLimit     Code = "turn_limit"     // the answer was given on the last turn
	CodeModelBehavior Code = "model_behavior" // the model answered nothing usable
	CodeCutOff        Code = "cut_off"        // the model's reply reached its limit before it said anything
	CodeCorrupt       Code = "corrupt"        // stored data cannot be read
	CodeTooNew        Code = "too_new"        // stored data was written by a newer yaap
	CodeInternal      Code = "internal"       // a fault of yaap
	CodeFailed        Code = "failed"         // a chain ended as failed: what it answered says why
	CodeStopped       Code = "stopped"        // the user stopped it after the running calls; it can be resumed
)

// Error is a failure that a user may see. Message says what failed in the
// user's words, Hint what to type or do next; the cause stays in Err.
type Error struct {
	Code    Code
	Message string
	Hint    string
	Err     error
}

// Fail returns a failure: what failed in the user's words, and what to do next.
func Fail(code Code, message, hint string) *Error {
	return &Error{Code: code, Message: message, Hint: hint}
}

// Because gives e its cause, and returns it.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// Error returns the message with its cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first [Error] in err's tree. An ended context
// counts as cancelled or timed out, anything else as internal, nil as empty.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return CodeCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return CodeTimedOut
	}
	return CodeInternal
}

// HintOf returns the first hint in err's tree.
func HintOf(err error) string {
	var e *Error
	for errors.As(err, &e) {
		if e.Hint != "" {
			return e.Hint
		}
		err = e.Err
	}
	return ""
}

// Retryable reports whether the same request may succeed a little later.
func Retryable(err error) bool {
	switch CodeOf(err) {
	case CodeRateLimited, CodeUnreachable, CodeTimedOut, CodeModelBehavior:
		return true
	}
	return false
}

// Cancelled is the error of a run whose ctx ended: by the user, or for the reason
// that whoever ended it gave.
func Cancelled(ctx context.Context) *Error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, context.Canceled) {
		return Fail(CodeCancelled, "cancelled", "")
	}
	e := Fail(CodeCancelled, cause.Error(), HintOf(cause))
	if CodeOf(cause) == CodeTimedOut {
		e.Code = CodeTimedOut
	}
	return e
}
