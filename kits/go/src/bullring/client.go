package bullring

import (
	"context"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"bullring/wire"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	sdk      = "go kit 0.1.0"
	protocol = 1
	// A batch that takes longer is answered in parts, so that others need not wait for all of it.
	flushAfter = 20 * time.Millisecond
	// How long to wait for the referee to have heard our last words.
	lastWords = time.Second
	// Texts of failures are cut here; the whole of it is on stderr.
	errorLength = 300
)

// How a bot's process ends.
const (
	exitFine         = 0 // The referee said Goodbye.
	exitAuthor       = 1 // The author's code panicked; the stack is on stderr.
	exitNotConnected = 2 // There is no referee at the address, or no address.
	exitTooNew       = 3 // The referee speaks a newer protocol than this kit.
	exitLost         = 4 // The connection broke in the middle of a pass.
)

// Options are what a bot tells the referee of itself.
type Options struct {
	Rules    []string // the rules that the bot can play; none means all
	MaxBatch int      // how many asks may come in one message, 1 to 256; 0 means 64
}

// Run plays everything the referee asks, then ends the process. A bot is made for every game.
func Run(make func() Bot, options Options) {
	address := os.Getenv("BULLRING_REFEREE")
	if address == "" {
		program, _ := os.Executable()
		folder := strings.TrimSuffix(filepath.Dir(program), string(filepath.Separator)+"build")
		quit(exitNotConnected, "BULLRING_REFEREE is not set: a bot is started by a referee. To "+
			"play with it at home, type\n    bullring play six-nimmt "+folder+" random random random")
	}
	if options.MaxBatch == 0 {
		options.MaxBatch = 64
	}
	_, watches := make().(Watcher)
	hello := &wire.Hello{
		Sdk: sdk, Rules: options.Rules, MaxBatch: uint32(options.MaxBatch), Events: watches,
		Protocol: protocol,
	}
	one := &client{make: make, address: address, games: map[uint32]Bot{}}
	one.play(hello)
}

func say(text string) { fmt.Fprintln(os.Stderr, "bullring kit: "+text) }

func quit(code int, text string) {
	if text != "" {
		say(text)
	}
	os.Exit(code)
}

// codec speaks protobuf by the current library: that of Debian's gRPC is an older one.
type codec struct{}

func (codec) Marshal(message interface{}) ([]byte, error) {
	return proto.Marshal(message.(proto.Message))
}

func (codec) Unmarshal(data []byte, message interface{}) error {
	return proto.Unmarshal(data, message.(proto.Message))
}

func (codec) Name() string { return "proto" }

// authorError is what the author's code panicked with, at an ask (0 for none).
type authorError struct {
	askID uint64
	text  string
	place string
}

// client is one pass of one bot.
type client struct {
	make    func() Bot
	address string
	games   map[uint32]Bot
	rules   *Rules
	stream  grpc.ClientStream
}

// play speaks with the referee until Goodbye.
func (one *client) play(hello *wire.Hello) {
	connection, stream, err := dial(one.address)
	if err != nil {
		one.broken(err)
	}
	one.stream = stream
	one.send(&wire.FromBot{Message: &wire.FromBot_Hello{Hello: hello}})
	for {
		message := &wire.ToBot{}
		if err := stream.RecvMsg(message); err == io.EOF {
			quit(exitLost, "the referee closed the connection without Goodbye")
		} else if err != nil {
			one.broken(err)
		}
		if one.handle(message) {
			_ = stream.CloseSend()
			_ = connection.Close()
			quit(exitFine, "")
		}
	}
}

// dial reaches `unix:///path` or `host:port`; no proxy is asked.
func dial(address string) (*grpc.ClientConn, grpc.ClientStream, error) {
	network, place := "tcp", address
	if strings.HasPrefix(address, "unix:") {
		network, place = "unix", strings.TrimPrefix(strings.TrimPrefix(address, "unix:"), "//")
	}
	dialer := func(ctx context.Context, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, place)
	}
	connection, err := grpc.Dial("passthrough:///referee", grpc.WithInsecure(),
		grpc.WithContextDialer(dialer), grpc.WithAuthority("localhost"))
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	if token := os.Getenv("BULLRING_TOKEN"); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "bullring-token", token)
	}
	both := &grpc.StreamDesc{StreamName: "Play", ServerStreams: true, ClientStreams: true}
	stream, err := connection.NewStream(ctx, both, "/bullring.v1.Referee/Play",
		grpc.ForceCodec(codec{}), grpc.MaxCallRecvMsgSize(64<<20))
	return connection, stream, err
}

func (one *client) broken(err error) {
	known := status.Convert(err)
	detail := fmt.Sprintf("%v: %v", known.Code(), known.Message())
	if one.rules == nil {
		quit(exitNotConnected, fmt.Sprintf("cannot talk to a referee at '%s' (%s)", one.address, detail))
	}
	quit(exitLost, "the connection to the referee broke ("+detail+")")
}

func (one *client) send(message *wire.FromBot) {
	// io.EOF: the call is over. Receiving says why.
	if err := one.stream.SendMsg(message); err != nil && err != io.EOF {
		one.broken(err)
	}
}

// handle takes all parts of a message in their order; it says whether it was the last one.
func (one *client) handle(message *wire.ToBot) bool {
	if message.Welcome != nil {
		one.welcome(message.Welcome)
	}
	for _, start := range message.GameStarts {
		one.startGame(start)
	}
	for _, events := range message.Events {
		one.watch(events)
	}
	for _, over := range message.GameOvers {
		bot := one.games[over.GameNo]
		delete(one.games, over.GameNo)
		one.author(0, func() { bot.OnGameOver(plain(over.Points), plain(over.Places)) })
	}
	if message.Asks != nil && len(message.Asks.Asks) > 0 {
		one.answer(message.Asks)
	}
	if message.Goodbye == nil {
		return false
	}
	if message.Goodbye.Reason == wire.Goodbye_OUT {
		say("out of this pass: " + message.Goodbye.Text)
	}
	return true
}

func (one *client) welcome(welcome *wire.Welcome) {
	if welcome.Protocol > protocol {
		quit(exitTooNew, fmt.Sprintf("the referee speaks protocol %d, this kit knows up to %d. "+
			"Get a newer kit.", welcome.Protocol, protocol))
	}
	rules := rulesOf(welcome)
	one.rules = &rules
}

func (one *client) startGame(start *wire.GameStart) {
	var bot Bot
	one.author(0, func() { bot = one.make() })
	base := bot.base()
	base.Rules = *one.rules
	base.GameNo, base.Seat, base.Players = int(start.GameNo), int(start.Seat), int(start.Players)
	base.Rng = rand.New(rand.NewSource(int64(start.BotSeed)))
	one.games[start.GameNo] = bot
	one.author(0, bot.OnGameStart)
}

func (one *client) watch(events *wire.Events) {
	watcher, watches := one.games[events.GameNo].(Watcher)
	for _, message := range events.Events {
		if event, known := eventOf(message); known && watches {
			one.author(0, func() { watcher.OnEvent(event) })
		}
	}
}

func (one *client) answer(message *wire.Asks) {
	flushed := time.Now()
	shared := &clock{
		bank:     time.Duration(message.BankMs) * time.Millisecond,
		asksLeft: len(message.Asks),
		came:     flushed,
	}
	for _, ask := range message.Asks {
		shared.free += time.Duration(ask.MoveMs) * time.Millisecond
	}
	answers := []*wire.Answer{}
	for _, ask := range message.Asks {
		answers = append(answers, one.decide(ask, shared))
		shared.asksLeft--
		if shared.asksLeft > 0 && time.Since(flushed) > flushAfter {
			one.sendAnswers(answers)
			answers, flushed = nil, time.Now()
		}
	}
	one.sendAnswers(answers)
}

func (one *client) sendAnswers(answers []*wire.Answer) {
	one.send(&wire.FromBot{Message: &wire.FromBot_Answers{Answers: &wire.Answers{Answers: answers}}})
}

func (one *client) decide(ask *wire.Ask, shared *clock) *wire.Answer {
	bot := one.games[ask.GameNo]
	base := bot.base()
	base.clock, base.note = shared, ""
	if ask.Kind == wire.Kind_TURN {
		base.Turns = turnsOf(ask.Turn)
	} else {
		base.Legal = plain(ask.Legal)
	}
	answer := &wire.Answer{AskId: ask.AskId}
	one.author(ask.AskId, func() {
		if !choose(bot, ask, answer) {
			// It goes out without a choice, which the referee counts as an illegal one.
			say("ChooseTurn returned an empty Turn, which is no choice; make it by Take or Play")
		}
	})
	answer.Note = cut(base.note)
	return answer
}

// choose asks the bot and puts what it says into the answer; false: it said nothing.
func choose(bot Bot, ask *wire.Ask, answer *wire.Answer) bool {
	switch ask.Kind {
	case wire.Kind_CARD:
		answer.Choice = &wire.Answer_Card{Card: int32(bot.ChooseCard(tableView(ask)))}
	case wire.Kind_ROW:
		answer.Choice = &wire.Answer_Row{Row: int32(bot.ChooseRow(tableView(ask)))}
	case wire.Kind_DRAFT:
		answer.Choice = &wire.Answer_Draft{Draft: int32(bot.ChooseDraft(sixView(ask.GetSixNimmt())))}
	case wire.Kind_X_CARD:
		answer.Choice = &wire.Answer_XCard{XCard: int32(bot.ChooseXCard(xView(ask.GetXNimmt())))}
	case wire.Kind_STEAL:
		view := elevenView(ask.GetElevenNimmt())
		answer.Choice = &wire.Answer_Steal{Steal: int32(bot.ChooseSteal(view))}
	case wire.Kind_TURN:
		return fill(answer, bot.ChooseTurn(elevenView(ask.GetElevenNimmt())))
	default:
		panic(fmt.Sprintf("this kit knows no ask of kind %v", ask.Kind))
	}
	return true
}

func tableView(ask *wire.Ask) *TableView {
	if view := ask.GetSixNimmt(); view != nil {
		return sixView(view).TableView
	}
	if view := ask.GetXNimmt(); view != nil {
		return xView(view).TableView
	}
	panic("an ask came without a view that this kit knows; use a newer kit")
}

// author runs the author's code; what it panics with is the author's, and the last that happens.
func (one *client) author(askID uint64, code func()) {
	defer func() {
		if value := recover(); value != nil {
			one.failed(authorError{askID: askID, text: fmt.Sprint(value), place: panicked()})
		}
	}()
	code()
}

// panicked is the file and line of the author's code that is panicking.
func panicked() string {
	frames := make([]uintptr, 64)
	known := runtime.CallersFrames(frames[:runtime.Callers(3, frames)])
	for {
		frame, more := known.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// failed tells the referee which ask failed; the process ends when it has heard, or a little later.
func (one *client) failed(problem authorError) {
	fmt.Fprintf(os.Stderr, "panic: %s\n%s", problem.text, debug.Stack())
	say("the bot's own code panicked, see above")
	text := strings.ToValidUTF8(problem.text, "?")
	if runes := []rune(text); len(runes) > errorLength {
		text = string(runes[:errorLength])
	}
	failure := &wire.Failure{AskId: problem.askID, Error: text + problem.place}
	one.send(&wire.FromBot{Message: &wire.FromBot_Failure{Failure: failure}})
	_ = one.stream.CloseSend()
	time.AfterFunc(lastWords, func() { quit(exitAuthor, "") })
	for {
		if err := one.stream.RecvMsg(&wire.ToBot{}); err != nil {
			quit(exitAuthor, "")
		}
	}
}
