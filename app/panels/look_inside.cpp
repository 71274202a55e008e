#include "app/panels/look_inside.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/panels/report.h"
#include "app/session/comparison.h"
#include "app/ui/text_flow.h"
#include "gpu/message.h"

namespace warpbook::app {
namespace {

constexpr float mark_width = 72, label_share = 0.3f;

/// The table's columns: the two devices' values end at `there` and `here`.
struct InsideColumns {
  float label = 0, there = 0, here = 0, mark = 0, value_width = 0;
};

void word(ImDrawList* draw, float x, float middle, ImU32 ink, std::string_view words, Face face = Face::label) {
  text(draw, face, {x, middle - line_height(face) / 2}, ink, words, Align::right);
}

void number_row(ImDrawList* draw, const Comparison::Row& row, const InsideColumns& x, float middle) {
  const Theme& t = theme();
  const ImU32 ink = row.differs ? t.text.first : t.text.second;
  text_clipped(draw, Face::label, {x.label, middle - line_height(Face::label) / 2}, x.there - x.value_width - x.label, ink,
               row.label);
  const auto value = [&](float right, const std::string& words, bool missing) {
    word(draw, right, middle, missing ? t.text.third : ink, words, missing ? Face::label : Face::digits);
  };
  value(x.there, row.there, row.there_missing);
  value(x.here, row.here, row.here_missing);
  if (row.differs) word(draw, x.mark, middle, t.verdict.bad, say("differs"), Face::label_strong);
}

void seen_row(ImDrawList* draw, const Comparison::Seen& seen, const InsideColumns& x, float middle) {
  const Theme& t = theme();
  const bool found = seen.here == gpu::Observation::observed;
  const ImU32 colour = t.finding[static_cast<std::size_t>(seen.kind)];
  finding_glyph(draw, seen.kind, {x.label + px(7), middle}, px(14), found ? colour : t.text.disabled);
  text(draw, Face::label, {x.label + px(24), middle - line_height(Face::label) / 2}, found ? t.text.first : t.text.second,
       finding_title(seen.kind));
  word(draw, x.there, middle, t.text.third, observation_words(seen.there));
  if (found) {
    word(draw, x.here, middle, colour, seen.lines, Face::label_strong);
  } else {
    word(draw, x.here, middle, t.text.third, observation_words(seen.here));
  }
}

}  // namespace

bool draw_look_inside_button(const Session& session, Actions& actions, ImVec2 right_middle) {
  const InsideOffer offer = inside_offer(session);
  if (!offer.offered) return false;
  const ButtonLook look{.label = say("Look inside"),
                        .enabled = offer.why_not.empty(),
                        .hint = offer.why_not.empty()
                                    ? say("Repeats this run on the virtual GPU with every observer on, and shows both results.")
                                    : std::string_view(offer.why_not)};
  const float width = button_width(look), height = px(28);
  if (button("look_inside", rect(snap(right_middle.x - width), snap(right_middle.y - height / 2), width, height), look)) {
    actions.look_inside();
  }
  return true;
}

float draw_look_inside(LessonState& state, ImVec2 at, float width) {
  if (!state.inside) return 0;
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Inside& inside = *state.inside;
  const Comparison c = compare(*inside.there, *inside.here);
  const float row = px(t.space.row_height), room = width - 2 * px(panel_padding);
  TextFlowStyle style = note_style();
  style.plain = Face::body;
  style.code = Face::label_code;
  style.colour = t.text.second;
  std::string verdict = c.verdict;
  if (inside.there != inside.of) {
    verdict += " ";
    verdict += say("Both ran from the experiment's start, without what a hand drew.");
  }
  const auto sentence = inline_code(verdict);

  // A box as high as what is in it: the rows are known before they are drawn.
  const float words = draw_text_flow(nullptr, sentence, {}, room, style);
  const float rows = static_cast<float>(c.rows.size() + (c.same_left_out > 0 ? 1 : 0) + c.seen.size()) * row;
  const float height = px(12) + line_height(Face::head) + px(4) + words + px(8) + row + px(8) + rows + px(17) + px(12);
  draw->AddRectFilled(at, {at.x + width, at.y + height}, t.background.raised, px(t.radius.box));

  const bool differs = std::any_of(c.rows.begin(), c.rows.end(), [](const Comparison::Row& each) { return each.differs; });
  const float marks = differs ? px(mark_width) : 0;
  InsideColumns x{.label = at.x + px(panel_padding)};
  x.value_width = (room - marks) * (1 - label_share) / 2;
  x.there = x.label + (room - marks) * label_share + x.value_width;
  x.here = x.there + x.value_width;
  x.mark = x.label + room;
  float y = at.y + px(12);
  text(draw, Face::head, {x.label, y}, t.text.first, say("Looked inside"));
  const float close = text_width(Face::label, say("Close"));
  const bool closed = link("look_inside/close", Face::label, {x.mark - close, y + px(4)}, say("Close"), t.text.third);
  y += line_height(Face::head) + px(4);
  y += draw_text_flow(draw, sentence, {x.label, y}, room, style) + px(8);

  const auto device = [&](float right, const std::string& name) {
    const float most = x.value_width - px(8), wide = std::min(text_width(Face::label_strong, name), most);
    text_clipped(draw, Face::label_strong, {right - wide, y + (row - line_height(Face::label)) / 2}, wide + 1, t.text.first, name);
  };
  device(x.there, inside.there->device);
  device(x.here, inside.here->device);
  y += row;
  hairline(draw, {x.label, y + px(2)}, {x.mark, y + px(2)}, t.background.line);
  y += px(8);
  for (const Comparison::Row& each : c.rows) {
    number_row(draw, each, x, y + row / 2);
    y += row;
  }
  if (c.same_left_out > 0) {
    text(draw, Face::label, {x.label, y + (row - line_height(Face::label)) / 2}, t.text.third,
         say_many(c.same_left_out, "{n} more number is the same", "{n} more numbers are the same", "n"_a = c.same_left_out));
    y += row;
  }
  hairline(draw, {x.label, y + px(8)}, {x.mark, y + px(8)}, t.background.line);
  y += px(17);
  for (const Comparison::Seen& each : c.seen) {
    seen_row(draw, each, x, y + row / 2);
    y += row;
  }
  name_widget("look_inside/result", {at, {at.x + width, at.y + height}});
  if (state.bring_inside) {
    state.bring_inside = false;
    const float top = draw->GetClipRectMin().y, bottom = draw->GetClipRectMax().y;  // below the page's head
    if (at.y < top || at.y + height > bottom) ImGui::SetScrollY(std::max(at.y - px(72) - top + ImGui::GetScrollY(), 0.0f));
  }
  if (closed) state.inside.reset();
  return height;
}

}  // namespace warpbook::app
