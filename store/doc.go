// Package store turns a plan into exactly one git commit, or into nothing.
package store
