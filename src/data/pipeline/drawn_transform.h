// The transform of one photograph: what its draws make of the definition.
//
// Used by:  program.cc, apps (data bench).
// Threads:  pure functions.
// Fails:    never.
// Source:   torchvision.transforms: RandomResizedCrop, RandomHorizontalFlip, ColorJitter.
#pragma once

#include "data/images/images.h"
#include "data/pipeline/definition.h"
#include "data/randomness/randomness.h"

namespace evener::data::pipeline {

// Draws in a fixed order: random crop 22, flip 1, jitter its factors and its order.
images::Transform drawn_transform(const PictureDefinition& picture, images::Size image,
                                  randomness::Draws& draws);

}  // namespace evener::data::pipeline
