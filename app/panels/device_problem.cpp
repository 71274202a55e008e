#include "app/panels/device_problem.h"

#include "app/panels/result.h"
#include "app/ui/widgets.h"
#include "gpu/message.h"

namespace warpbook::app {

float draw_device_problem(const Session& session, Actions& actions, ImVec2 at, float width, bool printed) {
  const Session::DeviceProblem& problem = session.device_problem;
  if (problem.title.empty()) return 0;
  const std::string_view name = problem.error.code.starts_with("cuda") ? std::string_view(problem.error.code) : std::string_view();
  const float height = draw_failure(problem.title, name, problem.error.message, at, width) + px(16);
  if (!problem.restart_with || printed) return height;
  const ButtonLook look{.label = say("Start again with the GPU"),
                        .hint = say("Warpbook closes and opens again. Your work is kept.")};
  const float wide = button_width(look), tall = px(32);
  if (button("device/restart", rect(at.x, at.y + height - px(8), wide, tall), look))
    actions.restart_with_gpu(*problem.restart_with);
  return height + tall + px(8);
}

}  // namespace warpbook::app
