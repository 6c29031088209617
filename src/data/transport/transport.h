// How bytes of the data service travel: frames, messages, servers and connections.
//
// Used by:  data/client, data/dispatcher, data/worker, apps.
// Threads:  each header says.
// Fails:    each header says.
// Source:   formats/wire.md is the exact text of all that crosses a socket.
#pragma once

#include "data/transport/arena.h"
#include "data/transport/byte_stream.h"
#include "data/transport/control_client.h"
#include "data/transport/control_server.h"
#include "data/transport/data_server.h"
#include "data/transport/endpoint.h"
#include "data/transport/frame.h"
#include "data/transport/frame_input.h"
#include "data/transport/listening.h"
#include "data/transport/messages.h"
#include "data/transport/outbox.h"
#include "data/transport/schema.h"
#include "data/transport/slab_pool.h"
#include "data/transport/wake_queue.h"
