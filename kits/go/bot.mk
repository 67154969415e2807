# Included by a bot's Makefile, which sets KIT: `make` builds build/bot from bot.go with the kit.
include $(KIT)/go.mk
contract := $(KIT)/build/src/bullring/wire/bot.pb.go

build/bot: $(wildcard *.go) $(contract) $(wildcard $(KIT)/src/bullring/*.go)
	mkdir -p build
	$(GO) build -trimpath -o $@ .

$(contract): $(wildcard $(KIT)/bot.proto)
	$(MAKE) -C $(KIT)

.PHONY: clean test
test: $(contract)
	$(GO) test .

clean:
	rm -rf build
