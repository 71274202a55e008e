// Typing: the state of the one field that is being typed into: a control's number, a prediction, a search.
#pragma once

#include <string>
#include <vector>

#include "app/text/editor_text.h"
#include "app/text/key_event.h"

namespace warpbook::app {

struct Typing {
  std::string name;  // of the field: "control/threads"; empty: nothing is being typed
  EditorText text;
  bool fresh = true;           // the field does not have the keyboard yet
  std::string wrong;           // what is wrong with the text: "1024 at most"
  std::vector<KeyEvent> keys;  // since the last frame
};

}  // namespace warpbook::app
