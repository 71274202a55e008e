// Presentation: a view at a time, the whole of it.
#include "app/panels/present.h"

#include <gtest/gtest.h>

#include "lessons/catalog.h"
#include "tests/app/headless.h"

namespace warpbook::test {
namespace {

TEST(PresentedView, FitsItsSlide) {
  for (const lessons::Lesson* lesson : lessons::all_lessons()) {
    Headless window(720, 450);  // what 1440 × 900 is, presented
    ASSERT_TRUE(window.settle());
    window.book().open(*lesson);
    ASSERT_TRUE(window.settle());
    window.book().run();
    ASSERT_TRUE(window.wait([&] { return window.session().lesson().shown != nullptr; }));
    window.book().pause();
    ASSERT_TRUE(window.settle());
    window.session().presenting = true;
    for (std::size_t slide = 1; slide < app::slides_of(*lesson); ++slide) {
      window.session().lesson().slide = slide;
      for (int i = 0; i < 20; ++i) window.frame();
      const auto* const view = window.find("view/" + lesson->views[slide - 1]);
      const auto* const bar = window.find("present/next");
      ASSERT_TRUE(view != nullptr && bar != nullptr) << lesson->views[slide - 1];
      EXPECT_LE(view->area.b.y, bar->area.a.y) << lesson->id << ", " << lesson->views[slide - 1];
    }
  }
}

}  // namespace
}  // namespace warpbook::test
