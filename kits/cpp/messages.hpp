// Messages of the contract <-> the plain types of bullring.hpp. Knows no connection.
#pragma once

#include <optional>
#include <string>

#include "bot.pb.h"
#include "bullring.hpp"

namespace bullring {

namespace pb = ::bullring::v1;

Rules to_rules(const pb::Welcome& welcome);
TurnOptions to_turns(const pb::TurnOptions& options);
SixNimmtView to_view(const pb::SixNimmtView& message);
ElevenNimmtView to_view(const pb::ElevenNimmtView& message);
XNimmtView to_view(const pb::XNimmtView& message);
// None for an event that is newer than this kit.
std::optional<Event> to_event(const pb::Event& message);
void fill_turn(pb::Answer& answer, const Turn& turn);
// A note cut to what the referee keeps, never in the middle of a character.
std::string cut_note(std::string text);

}  // namespace bullring
