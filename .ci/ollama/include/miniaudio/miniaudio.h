// Stands in for miniaudio, which the Go proxy leaves out of Ollama's module: what
// llama.cpp calls to decode sound, and every call fails. The models of the tests read
// text only.
#pragma once
#include <cstddef>
#include <cstdint>

typedef uint32_t ma_uint32;
typedef uint64_t ma_uint64;
typedef int ma_result;
enum { MA_SUCCESS = 0, MA_ERROR = -1 };
enum ma_format { ma_format_f32 };
enum ma_encoding_format { ma_encoding_format_wav };
struct ma_decoder_config {};
struct ma_decoder {};
struct ma_encoder_config {};
struct ma_encoder {};

static inline ma_decoder_config ma_decoder_config_init(ma_format, ma_uint32, ma_uint32) { return {}; }
static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) { return MA_ERROR; }
static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) { return MA_ERROR; }
static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) { return MA_ERROR; }
static inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_ERROR; }
