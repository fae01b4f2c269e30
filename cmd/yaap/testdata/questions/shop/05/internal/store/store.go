package store

import "math"

// Order is what a customer has bought.
type Order struct {
	ID     int
	Amount float64
}

// Store keeps the orders.
type Store struct {
	orders []Order
}

// OpenStore opens the store at a path.
func OpenStore(path string) *Store {
	return &Store{}
}

// Total is what all orders amount to.
func (s *Store) Total() (sum float64) {
	for _, o := range s.orders {
		sum += o.Amount
	}
	return math.Round(sum*100) / 100 // TODO: keep cents instead
}
