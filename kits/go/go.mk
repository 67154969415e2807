# How Go is started here: with Debian's libraries and this kit, no module and no network.
# Included by the kit's Makefile, and by a bot's, which sets KIT.
KIT ?= .
go_kit = $$(CDPATH='' cd -- "$(KIT)" && pwd)
GO = GO111MODULE=off GOFLAGS= CGO_ENABLED=0 GOPATH="$(go_kit):$(go_kit)/build:/usr/share/gocode" go
