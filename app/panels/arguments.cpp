#include "app/panels/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <string>
#include <utility>
#include <vector>

#include "app/panels/change_values.h"
#include "app/panels/open_file.h"
#include "app/ui/widgets.h"
#include "gpu/message.h"
#include "gpu/shown_text.h"
#include "lessons/arguments/argument_check.h"
#include "lessons/arguments/array_file.h"
#include "lessons/arguments/variable_spec.h"
#include "lessons/playground.h"

namespace warpbook::app {
namespace {

using lessons::InputWords;

struct Content {
  std::string_view id;
  ToSay label;
  std::string_view details;  // what its details are at first
  ToSay hint;                // what they mean
};
constexpr std::array<Content, 8> contents{{{"zeros", to_say("Zeros"), "", {}},
                                           {"ones", to_say("Ones"), "", {}},
                                           {"iota", to_say("0, 1, 2 …"), "", {}},
                                           {"value", to_say("A number"), "1", to_say("a number")},
                                           {"list", to_say("A list"), "1,2,3", to_say("a number for each element")},
                                           {"uniform", to_say("Uniform"), "0:1:7", to_say("least : below : seed")},
                                           {"normal", to_say("Normal"), "0:1:7", to_say("mean : deviation : seed")},
                                           {"file", to_say("A file"), "", to_say("path of a .npy, .png or .csv")}}};

const Content& content_of(std::string_view id) {
  return *std::find_if(contents.begin(), contents.end() - 1, [&](const Content& content) { return content.id == id; });
}

/// What is drawn, from top to bottom.
struct Form {
  Session& session;
  Actions& actions;
  const gpu::Program& program;
  const gpu::Kernel& kernel;
  lessons::Values values;
  float x = 0, y = 0, width = 0;
};

float field_height() { return px(theme().space.control_height); }
float label_height() { return px(16) + px(theme().space.gap_small); }

void label(ImVec2 at, float width, std::string_view name, std::string_view type) {
  const Theme& t = theme();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float drop = baseline(Face::label_code) - baseline(Face::caption);
  const float used = text(draw, Face::label_code, at, t.text.first, name) + px(8);
  text_clipped(draw, Face::caption, {at.x + used, at.y + drop}, width - used, t.text.third, type);
}

/// What is wrong, below a field. Returns the height.
float complaint(ImVec2 at, float width, std::string_view sentence) {
  const std::string words = in_sentences(sentence);
  const float gap = px(4);
  return gap + paragraph(ImGui::GetWindowDrawList(), Face::label, {at.x, at.y + gap}, width, theme().verdict.bad, words);
}

/// A button that opens the list of contents; the one that was chosen.
const Content* choose_content(const std::string& name, const Rect& area, const Content& now) {
  const Theme& t = theme();
  const HitArea at = hit_area(name, area);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(area.a, area.b, fill_of(at), px(t.radius.control));
  text(draw, Face::label, {area.a.x + px(10), area.centre().y - line_height(Face::label) / 2}, t.text.first, say(now.label));
  icon(draw, Icon::chevron_down, {area.b.x - px(14), area.centre().y + px(1)}, px(9), t.text.second);
  if (at.focused) focus_ring(area, t.hand.line, t.radius.control);
  if (at.clicked) ImGui::OpenPopup(name.c_str());
  const Content* chosen = nullptr;
  ImGui::SetNextWindowPos({area.a.x, area.b.y + px(4)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  if (ImGui::BeginPopup(name.c_str(), ImGuiWindowFlags_NoMove)) {
    for (const Content& content : contents) {
      if (list_row(name + "/" + std::string(content.id), say(content.label), &content == &now, px(148))) {
        chosen = &content;
        ImGui::CloseCurrentPopup();
      }
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return chosen;
}

/// The shape that the file's array has; what it had where the file cannot be read, which the row then says.
std::string shape_of(const std::string& path, const std::string& before) {
  const auto shape = lessons::shape_of_file(path);
  return shape ? fmt::format("{}", fmt::join(*shape, "x")) : before;
}

void array_row(Form& form, std::size_t index) {
  const gpu::Parameter& parameter = form.kernel.parameters[index];
  const std::string name = "argument/" + parameter.name, key = lessons::input_key(form.kernel, index);
  InputWords words = lessons::words_of(lessons::input_text(form.program, form.kernel, index, form.values));
  const InputWords before = words;
  label({form.x, form.y}, form.width, parameter.name, parameter.type);
  const float top = form.y + label_height(), gap = px(theme().space.gap_small);
  const float shape_width = px(120), content_width = px(128);
  const Rect shape = rect(form.x, top, shape_width, field_height());
  const Rect content = rect(shape.b.x + gap, top, content_width, field_height());
  const Rect details{{content.b.x + gap, top}, {form.x + form.width, top + field_height()}};
  const Rect row{{form.x, form.y}, {details.b.x, details.b.y}};

  Typing& typing = form.session.typing;
  if (auto given = text_field(name + "/shape", shape, words.shape, say("4096 or 64x64"), typing)) words.shape = *given;
  if (const Content* chosen = choose_content(name + "/content", content, content_of(words.content))) {
    words.content = chosen->id;
    words.details = chosen->details;
  }
  const Content& now = content_of(words.content);
  if (!now.hint.empty()) {
    if (auto given = text_field(name + "/details", details, words.details, say(now.hint), typing)) words.details = *given;
    if (words.content != "file" && typing.name != name + "/details") {
      const float value = text_width(Face::code, words.details) + px(24);
      text_clipped(ImGui::GetWindowDrawList(), Face::caption,
                   {details.a.x + value, details.centre().y - line_height(Face::caption) / 2}, details.width() - value - px(8),
                   theme().text.third, say(now.hint));
    }
  }
  std::string& dropped = form.session.brought.data;
  if (!dropped.empty() && ImGui::IsMouseHoveringRect(row.a, row.b, false)) {
    words.content = "file";
    words.details = std::exchange(dropped, {});
  }
  if (words.content == "file" && words.details != before.details) words.shape = shape_of(words.details, words.shape);
  if (lessons::text_of(words) != lessons::text_of(before)) form.values.set_text(key, lessons::text_of(words));
  form.y = row.b.y;
}

void number_row(Form& form, std::size_t index, float width) {
  const gpu::Parameter& parameter = form.kernel.parameters[index];
  label({form.x, form.y}, width, parameter.name, parameter.type);
  const Rect area = rect(form.x, form.y + label_height(), width, field_height());
  const std::string input = lessons::input_text(form.program, form.kernel, index, form.values);
  // A struct whose members nobody knows and whose size is a number's looks like one.
  const auto braced = [](std::string_view text) { return text.starts_with('{'); };
  const std::string now = braced(input) ? input : lessons::words_of(input).details;
  if (auto given = text_field("argument/" + parameter.name, area, now, say("a number"), form.session.typing)) {
    form.values.set_text(lessons::input_key(form.kernel, index), braced(*given) ? *given : "=" + *given);
  }
}

/// The whole spec as text; beside the type, what it asks for.
void struct_row(Form& form, std::size_t index) {
  const gpu::Parameter& parameter = form.kernel.parameters[index];
  std::string members;
  for (const gpu::Parameter& member : parameter.members) members += fmt::format(" {} {};", member.type, member.name);
  label({form.x, form.y}, form.width, parameter.name, members.empty() ? parameter.type : parameter.type + " {" + members + " }");
  const Rect area = rect(form.x, form.y + label_height(), form.width, field_height());
  const std::string now = lessons::input_text(form.program, form.kernel, index, form.values);
  if (auto given = text_field("argument/" + parameter.name, area, now,
                              say("{example}: its members in their order", "example"_a = "{int32=16,float32[16]=zeros}"),
                              form.session.typing)) {
    form.values.set_text(lessons::input_key(form.kernel, index), *given);
  }
  form.y = area.b.y;
}

/// A variable that only a host program fills: its shape is the source's.
void variable_row(Form& form, const gpu::Variable& variable) {
  const std::string name = "variable/" + variable.array.name;
  const std::string own = lessons::own_variable(form.program, form.kernel, variable);
  const InputWords before = lessons::words_of(lessons::variable_text(variable, form.values, own));
  InputWords words = before;
  label({form.x, form.y}, form.width, variable.array.name,
        fmt::format("{} {}", variable.constant ? "__constant__" : "__device__", lessons::type_text(variable)));
  const float top = form.y + label_height(), gap = px(theme().space.gap_small);
  const Rect row{{form.x, top}, {form.x + form.width, top + field_height()}};
  Typing& typing = form.session.typing;
  if (words.shape.empty()) {
    const Rect number = rect(form.x, top, px(160), field_height());
    if (auto given = text_field(name, number, words.details, say("a number"), typing)) words.details = *given;
  } else {
    const Rect content = rect(form.x, top, px(128), field_height());
    if (const Content* chosen = choose_content(name + "/content", content, content_of(words.content))) {
      words.content = chosen->id;
      words.details = chosen->details;
    }
    const Content& now = content_of(words.content);
    if (!now.hint.empty())
      if (auto given = text_field(name + "/details", {{content.b.x + gap, top}, row.b}, words.details, say(now.hint), typing))
        words.details = *given;
  }
  if (lessons::text_of(words) != lessons::text_of(before))
    form.values.set_text(lessons::variable_key(variable), lessons::text_of(words));
  form.y = row.b.y;
  if (const auto input = lessons::variable_of(variable, form.values, own); !input)
    form.y += complaint({form.x, form.y}, form.width, input.error().message);
  form.y += px(theme().space.gap);
}

void problem(Form& form, std::size_t index) {
  const auto input = lessons::input_of(form.program, form.kernel, index, form.values);
  if (!input) form.y += complaint({form.x, form.y}, form.width, input.error().message);
}

/// Numbers stand side by side, as many as fit.
void parameters(Form& form) {
  const float gap = px(theme().space.gap), least = px(132), left = form.x;
  const auto per_row = static_cast<std::size_t>(std::max((form.width + gap) / (least + gap), 1.0f));
  const float each = std::floor((form.width - gap * static_cast<float>(per_row - 1)) / static_cast<float>(per_row));
  std::vector<std::size_t> numbers;
  const auto flush = [&] {
    if (numbers.empty()) return;
    for (const std::size_t index : numbers) {
      number_row(form, index, each);
      form.x += each + gap;
    }
    form.x = left;
    form.y += label_height() + field_height();
    for (const std::size_t index : numbers) problem(form, index);
    form.y += gap;
    numbers.clear();
  };
  for (std::size_t i = 0; i < form.kernel.parameters.size(); ++i) {
    const bool structure = lessons::is_struct(form.kernel.parameters[i]);
    if (!form.kernel.parameters[i].pointer && !structure) {
      numbers.push_back(i);
      if (numbers.size() == per_row) flush();
      continue;
    }
    flush();
    if (structure) {
      struct_row(form, i);
    } else {
      array_row(form, i);
    }
    problem(form, i);
    form.y += gap;
  }
  flush();
}

/// Dropped beside every row: the first array that the kernel only reads, else the first.
void take_dropped(Form& form) {
  if (form.session.brought.data.empty()) return;
  const auto& all = form.kernel.parameters;
  auto found = std::find_if(all.begin(), all.end(), [](const gpu::Parameter& parameter) { return lessons::read_only(parameter); });
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), [](const gpu::Parameter& parameter) { return parameter.pointer; });
  const std::string path = std::exchange(form.session.brought.data, {});
  if (found == all.end()) {
    form.session.brought.problem =
        say("{kernel} takes no array, so there is nothing to put {path} into.", "kernel"_a = form.kernel.name, "path"_a = path);
    return;
  }
  const auto index = static_cast<std::size_t>(found - all.begin());
  const InputWords before = lessons::words_of(lessons::input_text(form.program, form.kernel, index, form.values));
  form.values.set_text(lessons::input_key(form.kernel, index),
                       lessons::text_of({.shape = shape_of(path, before.shape), .content = "file", .details = path}));
}

void kernels(Form& form) {
  if (form.program.kernels.size() < 2) return;
  const float gap = px(theme().space.gap_small), left = form.x;
  float x = left;
  for (const gpu::Kernel& kernel : form.program.kernels) {
    const float wide = std::min(chip_width(kernel.name), form.width);
    if (x > left && x + wide > left + form.width) {
      x = left;
      form.y += chip_height() + gap;
    }
    const bool on = kernel.name == form.kernel.name;
    if (chip("kernel/" + kernel.name, rect(x, form.y, wide, chip_height()), kernel.name, on) && !on) {
      lessons::choose_kernel(form.program, kernel, form.values);
    }
    x += wide + gap;
  }
  form.y += chip_height() + px(theme().space.gap);
}

/// Where the launch comes from; and the way back to it, where something else was set.
void own_launch(Form& form) {
  const std::string words = lessons::about_launch(form.program, form.kernel, form.values);
  if (words.empty()) return;
  const Theme& t = theme();
  const bool own = lessons::is_own_launch(form.program, form.kernel, form.values);
  const ButtonLook back{.label = say("Use the file's launch")};
  const float beside = own ? 0 : button_width(back) + px(t.space.gap);
  const ImFont* const face = font(Face::label);
  const float width = form.width - beside;
  const float height = face->CalcTextSizeA(face->FontSize, FLT_MAX, width, words.c_str()).y;
  const float row = own ? height : std::max(height, field_height());
  paragraph(ImGui::GetWindowDrawList(), Face::label, {form.x, form.y + (row - height) / 2}, width, t.text.second, words);
  if (!own && button("playground/own_launch",
                     rect(form.x + form.width - button_width(back), form.y, button_width(back), field_height()), back))
    lessons::use_own_launch(form.program, form.kernel, form.values);
  form.y += row + px(t.space.gap);
}

}  // namespace

float draw_arguments(Session& session, Actions& actions, ImVec2 at, float width) {
  const Theme& t = theme();
  LessonState& state = session.lesson();
  float y = at.y + draw_open_file(session, actions, at, width) + px(t.space.gap);
  const gpu::Kernel* const kernel = state.program ? lessons::chosen_kernel(*state.program, state.values) : nullptr;
  if (kernel == nullptr) {
    const bool failed = state.compiled && state.compiled->failure;
    const std::string_view words = state.program ? say("There is no kernel in this file: no function is marked __global__.")
                                   : failed      ? say("Parameters show once the kernel compiles: the editor says what is wrong.")
                                                 : say("Compiling …");
    text(ImGui::GetWindowDrawList(), Face::label, {at.x, y}, t.text.third, words);
    return y + line_height(Face::label) - at.y;
  }
  Form form{session, actions, *state.program, *kernel, state.values, at.x, y, width};
  kernels(form);
  own_launch(form);
  parameters(form);
  for (const gpu::Variable* variable : lessons::fields_of(form.program, form.kernel)) variable_row(form, *variable);
  take_dropped(form);
  if (form.values != state.values) change_values(session, actions, form.values);
  return form.y - px(t.space.gap) - at.y;
}

}  // namespace warpbook::app
