package main

import (
	"net/http"

	"example.com/shop/internal/server"
	"example.com/shop/internal/store"
)

func main() {
	s := server.New(store.OpenStore("shop.db"))
	_ = http.ListenAndServe(":8080", s)
}
