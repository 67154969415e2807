# Included by a bot's Makefile, which sets KIT: `make` builds build/bot from bot.cpp with the kit.
# STATIC=1 links all but the C library into the program, for images without gRPC.
CXXFLAGS ?= -O2 -g0
BULLRING_CXX := $(CXX) -std=c++17 -Wall -Wextra $(CXXFLAGS) -I$(KIT)
ifdef STATIC
# pkg-config forgets some libraries of the part without encryption.
BULLRING_LIBS := -static-libstdc++ -static-libgcc -Wl,-Bstatic -Wl,--start-group \
  $(filter -l%,$(filter-out -ldl -lrt -latomic,$(shell pkg-config --libs --static grpc++_unsecure protobuf))) \
  -laddress_sorting -lcares -lre2 -lupb -lz -Wl,--end-group -Wl,-Bdynamic -ldl -lrt -pthread
else
BULLRING_LIBS := $(shell pkg-config --libs grpc++_unsecure protobuf)
endif

build/bot: bot.cpp $(KIT)/bullring.hpp $(KIT)/build/libbullring.a
	mkdir -p build
	@echo "$(CXX) bot.cpp"
	@$(BULLRING_CXX) -o $@ bot.cpp $(KIT)/build/libbullring.a $(BULLRING_LIBS)

$(KIT)/build/libbullring.a: $(wildcard $(KIT)/*.cpp $(KIT)/*.hpp $(KIT)/bot.proto)
	$(MAKE) -C $(KIT)

# The tests include bot.cpp itself, so that they reach what is in it.
build/test: test.cpp bot.cpp $(KIT)/bullring.hpp $(KIT)/build/libbullring.a
	@mkdir -p build
	@echo "$(CXX) test.cpp"
	@$(BULLRING_CXX) -o $@ test.cpp $(KIT)/build/libbullring.a $(BULLRING_LIBS)

.PHONY: clean test
test: build/test
	./build/test

clean:
	rm -rf build
