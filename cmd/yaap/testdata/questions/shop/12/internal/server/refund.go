package server

// refund gives an amount back.
func (s *Server) refund(amount float64) float64 {
	return -amount
}

// refundPart gives a share of an amount back.
func (s *Server) refundPart(amount, share float64) float64 {
	return s.refund(amount * share)
}
