#include "data/client/reorder_window.h"

#include <utility>

namespace evener::data::client {

bool ReorderWindow::add(Arrival arrival, std::vector<Arrival>& ready) {
  const Unit unit = arrival.header.unit();
  if (unit < next_) return false;
  if (unit != next_) return held_back_.emplace(unit, std::move(arrival)).second;
  ready.push_back(std::move(arrival));
  next_ = order_.after(next_);
  while (!held_back_.empty() && held_back_.begin()->first == next_) {
    ready.push_back(std::move(held_back_.begin()->second));
    held_back_.erase(held_back_.begin());
    next_ = order_.after(next_);
  }
  return true;
}

}  // namespace evener::data::client
