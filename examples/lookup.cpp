// SPDX-License-Identifier: MIT
//
// lookup FILE ADDRESS - the functions and lines of an address, in C++: a reader
// that closes itself, and an exception for each failure.
//
//	c++ -std=c++17 lookup.cpp -o lookup $(pkg-config --cflags --libs gsym)
//
#include <gsym/reader.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class Reader {
public:
	explicit Reader(const std::string &path)
	{
		gsym_reader *reader = nullptr;
		gsym_error error{};

		if (gsym_open(path.c_str(), &reader, &error) != GSYM_OK)
			throw std::runtime_error(path + ": " + error.message);
		reader_.reset(reader);
	}

	// The frames of ADDRESS, the innermost first; none if no function
	// covers it.  Their strings live as long as the reader.
	std::vector<gsym_frame> lookup(uint64_t address) const
	{
		std::vector<gsym_frame> frames(8);
		gsym_match match{};
		gsym_error error{};

		for (;;) {
			gsym_status status = gsym_lookup(
				reader_.get(), address, 0, frames.data(),
				frames.size(), &match, &error);
			if (status == GSYM_NOT_FOUND)
				return {};
			if (status != GSYM_OK)
				throw std::runtime_error(error.message);
			bool complete = match.frame_count <= frames.size();
			frames.resize(match.frame_count);
			if (complete)
				return frames;
		}
	}

private:
	struct Close {
		void operator()(gsym_reader *reader) const
		{
			gsym_close(reader);
		}
	};
	std::unique_ptr<gsym_reader, Close> reader_;
};

int main(int argc, char **argv)
try {
	if (argc != 3) {
		std::fprintf(stderr, "usage: lookup FILE ADDRESS\n");
		return 2;
	}
	Reader reader(argv[1]);
	for (const gsym_frame &frame :
	     reader.lookup(std::strtoull(argv[2], nullptr, 16)))
		std::printf("%s at %s%s%s:%u%s\n", frame.function,
			    frame.directory, *frame.directory ? "/" : "",
			    frame.basename, frame.line,
			    frame.inlined ? " (inlined)" : "");
	return 0;
} catch (const std::exception &error) {
	std::fprintf(stderr, "%s\n", error.what());
	return 2;
}
