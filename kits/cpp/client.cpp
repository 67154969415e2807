// The connection of a bot: one call to the referee, batches hidden, errors said plainly.
#include <cxxabi.h>
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>
#include <typeinfo>
#include <unordered_map>

#include "bot.grpc.pb.h"
#include "messages.hpp"

namespace bullring {

namespace {

constexpr char SDK[] = "cpp kit 0.1.0";
constexpr unsigned PROTOCOL = 1;
// A batch that takes longer is answered in parts, so that others need not wait for all of it.
constexpr std::chrono::milliseconds FLUSH_AFTER{20};
// How long to wait for the referee to have heard our last words.
constexpr std::chrono::seconds LAST_WORDS{1};

// How a bot's process ends.
enum Exit {
    FINE = 0,           // The referee said Goodbye.
    AUTHOR = 1,         // The author's code threw; what it threw is on stderr.
    NOT_CONNECTED = 2,  // There is no referee at the address, or no address.
    TOO_NEW = 3,        // The referee speaks a newer protocol than this kit.
    LOST = 4,           // The connection broke in the middle of a pass.
};

void say(const std::string& text) {
    std::fflush(stdout);
    std::fprintf(stderr, "bullring kit: %s\n", text.c_str());
}

// The type of an exception as its author wrote it.
std::string name_of(const std::exception& error) {
    int status = 0;
    char* name = abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status);
    const std::string found = status == 0 ? name : typeid(error).name();
    std::free(name);
    return found;
}

// The author's code threw while it was at an ask (0 for none).
struct AuthorError {
    std::uint64_t ask_id;
    std::string text;
};

// Run the author's code; what it throws is known as the author's.
template <class Work>
auto author(std::uint64_t ask_id, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::exception& error) {
        throw AuthorError{ask_id, name_of(error) + ": " + error.what()};
    } catch (...) {
        throw AuthorError{ask_id, "something was thrown that is no std::exception"};
    }
}

}  // namespace

// One pass of one bot.
class Client {
public:
    Client(const MakeBot& make, std::string address) : make_(make), address_(std::move(address)) {}

    int play(const Options& options) {
        grpc::ChannelArguments arguments;
        arguments.SetMaxReceiveMessageSize(64 << 20);
        arguments.SetInt("grpc.enable_http_proxy", 0);
        const auto channel =
            grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
        const auto stub = pb::Referee::NewStub(channel);
        if (const char* token = std::getenv("BULLRING_TOKEN")) context_.AddMetadata("bullring-token", token);
        stream_ = stub->Play(&context_);
        try {
            greet(options);
            return speak();
        } catch (const AuthorError& error) {
            return failed(error);
        }
    }

private:
    using Time = std::chrono::steady_clock::time_point;

    void greet(const Options& options) {
        pb::FromBot message;
        pb::Hello& hello = *message.mutable_hello();
        hello.set_sdk(SDK);
        for (const auto& name : options.rules) hello.add_rules(name);
        hello.set_max_batch(options.max_batch);
        hello.set_events(options.events);
        hello.set_protocol(PROTOCOL);
        stream_->Write(message);
    }

    int speak() {
        pb::ToBot message;
        while (stream_->Read(&message)) {
            const std::optional<Exit> end = handle(message);
            if (!end) continue;
            stream_->WritesDone();
            context_.TryCancel();
            stream_->Finish();
            return *end;
        }
        return broken(stream_->Finish());
    }

    int broken(const grpc::Status& status) const {
        const std::string detail =
            "status " + std::to_string(status.error_code()) + ": " + status.error_message();
        if (rules_.name.empty()) {
            say("cannot talk to a referee at '" + address_ + "' (" + detail + ")");
            return NOT_CONNECTED;
        }
        say("the connection to the referee ended without Goodbye (" + detail + ")");
        return LOST;
    }

    // All parts of one message in their order; how to end, when it was the last one.
    std::optional<Exit> handle(const pb::ToBot& message) {
        if (message.has_welcome() && !welcome(message.welcome())) return TOO_NEW;
        for (const auto& start : message.game_starts()) start_game(start);
        for (const auto& events : message.events()) {
            Bot& bot = *games_.at(events.game_no());
            for (const auto& each : events.events()) {
                const auto event = to_event(each);
                if (event) author(0, [&] { bot.on_event(*event); });
            }
        }
        for (const auto& over : message.game_overs()) {
            const std::vector<int> points(over.points().begin(), over.points().end());
            const std::vector<int> places(over.places().begin(), over.places().end());
            author(0, [&] { games_.at(over.game_no())->on_game_over(points, places); });
            games_.erase(over.game_no());
        }
        if (message.asks().asks_size() > 0) answer(message.asks());
        if (!message.has_goodbye()) return std::nullopt;
        if (message.goodbye().reason() == pb::Goodbye::OUT) say("out of this pass: " + message.goodbye().text());
        return FINE;
    }

    bool welcome(const pb::Welcome& welcome) {
        if (welcome.protocol() > PROTOCOL) {
            say("the referee speaks protocol " + std::to_string(welcome.protocol()) +
                ", this kit knows up to " + std::to_string(PROTOCOL) + ". Get a newer kit.");
            return false;
        }
        rules_ = to_rules(welcome);
        return true;
    }

    void start_game(const pb::GameStart& start) {
        auto bot = author(0, [&] { return make_(); });
        bot->rules = rules_;
        bot->game_no = start.game_no();
        bot->seat = start.seat();
        bot->players = start.players();
        bot->rng.seed(start.bot_seed());
        Bot& begun = *(games_[start.game_no()] = std::move(bot));
        author(0, [&] { begun.on_game_start(); });
    }

    void answer(const pb::Asks& message) {
        const auto clock = std::make_shared<Clock>();
        clock->bank_ms = message.bank_ms();
        clock->asks_left = message.asks_size();
        for (const auto& ask : message.asks()) clock->free_ms += ask.move_ms();
        pb::FromBot reply;
        Time flushed = clock->came;
        for (const auto& ask : message.asks()) {
            decide(ask, clock, *reply.mutable_answers()->add_answers());
            --clock->asks_left;
            if (clock->asks_left == 0 || std::chrono::steady_clock::now() - flushed <= FLUSH_AFTER) continue;
            stream_->Write(reply);
            reply.Clear();
            flushed = std::chrono::steady_clock::now();
        }
        stream_->Write(reply);
    }

    void decide(const pb::Ask& ask, const std::shared_ptr<Clock>& clock, pb::Answer& answer) {
        Bot& bot = *games_.at(ask.game_no());
        bot.clock_ = clock;
        bot.note_.clear();
        bot.legal.assign(ask.legal().begin(), ask.legal().end());
        if (ask.has_turn()) bot.turns = to_turns(ask.turn());
        answer.set_ask_id(ask.ask_id());
        author(ask.ask_id(), [&] { choose(bot, ask, answer); });
        if (!bot.note_.empty()) answer.set_note(cut_note(bot.note_));
    }

    static void choose(Bot& bot, const pb::Ask& ask, pb::Answer& answer) {
        switch (ask.kind()) {
            case pb::CARD: answer.set_card(at_table(ask, [&](const TableView& v) { return bot.choose_card(v); })); break;
            case pb::ROW: answer.set_row(at_table(ask, [&](const TableView& v) { return bot.choose_row(v); })); break;
            case pb::DRAFT: answer.set_draft(bot.choose_draft(to_view(ask.six_nimmt()))); break;
            case pb::X_CARD: answer.set_x_card(bot.choose_x_card(to_view(ask.x_nimmt()))); break;
            case pb::STEAL: answer.set_steal(bot.choose_steal(to_view(ask.eleven_nimmt()))); break;
            case pb::TURN: fill_turn(answer, bot.choose_turn(to_view(ask.eleven_nimmt()))); break;
            default:
                throw std::runtime_error("this kit knows no ask of kind " + std::to_string(ask.kind()));
        }
    }

    template <class Choose>
    static int at_table(const pb::Ask& ask, Choose choose) {
        return ask.has_six_nimmt() ? choose(to_view(ask.six_nimmt())) : choose(to_view(ask.x_nimmt()));
    }

    // Tell the referee which ask failed; the process ends when it has heard, or a little later.
    int failed(const AuthorError& error) {
        say("the bot's own code threw " + error.text);
        std::thread([] {
            std::this_thread::sleep_for(LAST_WORDS);
            std::_Exit(AUTHOR);
        }).detach();
        pb::FromBot message;
        message.mutable_failure()->set_ask_id(error.ask_id);
        message.mutable_failure()->set_error(error.text.substr(0, 300));
        stream_->Write(message);
        stream_->WritesDone();
        stream_->Finish();
        return AUTHOR;
    }

    const MakeBot& make_;
    std::string address_;
    Rules rules_;
    std::unordered_map<unsigned, std::unique_ptr<Bot>> games_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<pb::FromBot, pb::ToBot>> stream_;
};

int run(const MakeBot& make, const Options& options) {
    const char* address = std::getenv("BULLRING_REFEREE");
    if (address == nullptr || *address == '\0') {
        say("BULLRING_REFEREE is not set: a bot is started by a referee. To play with it at home, type\n"
            "    ./bullring play six-nimmt FOLDER random random random");
        return NOT_CONNECTED;
    }
    return Client(make, address).play(options);
}

}  // namespace bullring
