// What a feed is: its definition as data, and the program that makes its samples.
//
// Used by:  data/dispatcher, data/worker, apps.
// Threads:  each header says.
// Fails:    each header says.
#pragma once

#include "data/pipeline/definition.h"
#include "data/pipeline/drawn_transform.h"
#include "data/pipeline/program.h"
