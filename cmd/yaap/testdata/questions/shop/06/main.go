package main

import (
	"net/http"
	"os"

	"example.com/shop/internal/server"
	"example.com/shop/internal/store"
)

// TODO: read the port from the configuration
const defaultConfig = "config/dev.yaml"

func main() {
	path := os.Getenv("SHOP_CONFIG")
	if path == "" {
		path = defaultConfig
	}
	s := server.New(store.OpenStore("shop.db"))
	_ = http.ListenAndServe(":8080", s)
}
