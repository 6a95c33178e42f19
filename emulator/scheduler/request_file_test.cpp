#include "emulator/scheduler/request_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

RequestSet parsed(std::string_view text, std::uint32_t ports = 0) { return parse_requests(text, "f", ports); }

std::string refused_requests(std::string_view text, std::uint32_t ports = 0) {
  try {
    parsed(text, ports);
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

const std::vector<Request> kThree{{{0, 3}, 4096}, {{1, 2}, 0}, {{4, 0}, 2048}};

TEST(RequestFile, Csv) {
  for (const char* text :
       {"0,3,4096\n1,2\n4,0,2K\n", "source,destination,bytes\n0,3,4096\n1,2\n4,0,2K",
        "# all\r\nSource , Destination\r\n\r\n 0 , 3 , 4 KiB # a\r\n1,2\r\n\t4,0,2K\r\n"}) {
    const RequestSet set = parsed(text);
    EXPECT_EQ(set.ports, 5u) << text;
    EXPECT_EQ(set.requests, kThree) << text;
  }
  EXPECT_EQ(parsed("0,3\n", 16).ports, 16u);
}

TEST(RequestFile, Json) {
  for (const char* text :
       {R"([[0,3,4096],[1,2],[4,0,"2K"]])", R"({"requests": [[0, 3, 4096], [1, 2], [4, 0, 2048]]})",
        R"( [ {"source":0,"destination":3,"bytes":4096}, {"destination":2,"source":1},
                                 [4,0,2048] ] )"}) {
    const RequestSet set = parsed(text);
    EXPECT_EQ(set.ports, 5u) << text;
    EXPECT_EQ(set.requests, kThree) << text;
  }
  EXPECT_EQ(parsed(R"({"ports": 8, "requests": [[0, 1]]})").ports, 8u);
  EXPECT_EQ(parsed(R"({"requests": [[0, 1]], "ports": 8})", 8).ports, 8u);
}

TEST(RequestFile, CsvErrorsNameTheirPlace) {
  EXPECT_THAT(refused_requests("0,1\n0,x\n"),
              AllOf(StartsWith("f:2:3: 'x'"), HasSubstr("source,destination,bytes")));
  EXPECT_THAT(refused_requests("0,1\n0\n"), StartsWith("f:2:2: the line ends"));
  EXPECT_THAT(refused_requests("0, ,3\n"), StartsWith("f:1:4: the destination is missing"));
  EXPECT_THAT(refused_requests("0,1,2,3\n"), StartsWith("f:1:7: '3' follows"));
  EXPECT_THAT(refused_requests("0;1\n"), StartsWith("f:1:2: fields are separated by commas"));
  EXPECT_THAT(refused_requests("0,1,many\n"), AllOf(StartsWith("f:1:5:"), HasSubstr("many")));
  EXPECT_THAT(refused_requests("0,1\nsource,destination\n"), StartsWith("f:2:1: 'source'"));
  EXPECT_THAT(refused_requests("from,to\n0,1\n"), StartsWith("f:1:1: 'from'"));
  EXPECT_THAT(refused_requests("-1,1\n"), StartsWith("f:1:1: '-1'"));
  EXPECT_THAT(refused_requests("0,99999999999999999999\n"), StartsWith("f:1:3:"));
}

TEST(RequestFile, JsonErrorsNameTheirPlace) {
  EXPECT_THAT(refused_requests("[[0,1],\n [0,1.5]]"), StartsWith("f:2:5: 1.5 is not a whole number"));
  EXPECT_THAT(refused_requests("[[0,1],\n [0,-2]]"), StartsWith("f:2:5: -2"));
  EXPECT_THAT(refused_requests("[[0,99999999999999999999]]"),
              StartsWith("f:1:5: 99999999999999999999 is too large"));
  EXPECT_THAT(refused_requests("[[0,\"1\"]]"), AllOf(StartsWith("f:1:5: '1'"), HasSubstr("(destination)")));
  EXPECT_THAT(refused_requests("[[0]]"), StartsWith("f:1:4: the request has no destination"));
  EXPECT_THAT(refused_requests("[[0,1,2,3]]"), StartsWith("f:1:9: 3 where the end of the request"));
  EXPECT_THAT(refused_requests("[[0,1],\n7]"), StartsWith("f:2:1: 7 where a request"));
  EXPECT_THAT(refused_requests("[[0,null]]"), StartsWith("f:1:5: null"));
  EXPECT_THAT(refused_requests("[[0,[1]]]"), StartsWith("f:1:5: ["));
  EXPECT_THAT(refused_requests(R"({"ports":4})"), StartsWith("f:1:11: there is no \"requests\""));
  EXPECT_THAT(refused_requests("{\"requests\":[{\"sorce\":1}]}"),
              AllOf(StartsWith("f:1:15:"), HasSubstr("\"source\"?")));
  EXPECT_THAT(refused_requests(R"([{"source":1,"source":2}])"), HasSubstr("given twice"));
  EXPECT_THAT(refused_requests(R"([{"source":1}])"), HasSubstr("no destination"));
  EXPECT_THAT(refused_requests(R"({"ports":0,"requests":[[0,1]]})"), StartsWith("f:1:10: ports: 0"));
  EXPECT_THAT(refused_requests("[[0,1]"), HasSubstr("ends inside its JSON"));
  EXPECT_THAT(refused_requests("[[0,1],\n  oops]"), StartsWith("f:2:3: "));
  EXPECT_THAT(refused_requests("[[0,1,\"lots\"]]"), AllOf(StartsWith("f:1:7:"), HasSubstr("lots")));
}

TEST(RequestFile, PortsOutOfRange) {
  EXPECT_THAT(refused_requests("0,1\n2,8\n", 8),
              AllOf(StartsWith("f:2:3: there is no port 8"), HasSubstr("the last is 7")));
  EXPECT_THAT(refused_requests(R"({"ports":4,"requests":[[4,0]]})"),
              StartsWith("f:1:25: there is no port 4"));
  EXPECT_THAT(refused_requests(R"({"ports":4,"requests":[[0,1]]})", 8), HasSubstr("for 4 ports, but 8"));
  EXPECT_THAT(refused_requests("0,4000000000\n"), StartsWith("f:1:3: port 4000000000 is out of range"));
}

TEST(RequestFile, DuplicatesSelfRequestsAndEmptySets) {
  EXPECT_THAT(refused_requests("0,1\n1,0\n0,1,5\n"), AllOf(StartsWith("f:3:1: 0 -> 1"), HasSubstr("at 1:1")));
  EXPECT_THAT(refused_requests("[[0,1],[0,1]]"), AllOf(StartsWith("f:1:9:"), HasSubstr("at 1:3")));
  EXPECT_THAT(refused_requests("0,1\n3,3\n"), StartsWith("f:2:3: port 3 requests itself"));
  for (const char* text : {"", "\n", "# nothing\n", "source,destination\n", "[]", R"({"requests":[]})"})
    EXPECT_THAT(refused_requests(text), HasSubstr("contains no request")) << text;
}

TEST(RequestFile, SizesThatOverflow) {
  EXPECT_THAT(refused_requests("0,1,2000000000000\n"), StartsWith("f:1:5: 2000000000000 bytes are too many"));
  EXPECT_THAT(refused_requests("0,1,99999999999999999999\n"), StartsWith("f:1:5:"));
  EXPECT_THAT(refused_requests("0,1,unlimited\n"), StartsWith("f:1:5:"));
}

TEST(RequestFile, SizesOfZero) {
  EXPECT_THAT(refused_requests("0,1,5\n1,2,0\n"),
              AllOf(StartsWith("f:2:5: a request of 0 bytes"), HasSubstr("omit the bytes")));
  EXPECT_THAT(refused_requests("0,1,0K\n"), StartsWith("f:1:5: a request of 0 bytes"));
  EXPECT_THAT(refused_requests("0,1,\n"), StartsWith("f:1:5: the bytes are missing"));
  EXPECT_THAT(refused_requests("[[0,1,0]]"), StartsWith("f:1:7: a request of 0 bytes"));
  EXPECT_THAT(refused_requests(R"([{"source":0,"destination":1,"bytes":"0"}])"),
              HasSubstr("a request of 0 bytes"));
  EXPECT_THAT(refused_requests("0,1,many\n"), testing::Not(HasSubstr("unlimited")));
}

TEST(RequestFile, AnAbsentSizeCountsAsOneByteIfAnotherIsKnown) {
  RequestSet mixed = parsed("0,1\n0,2,5\n"), none = parsed("0,1\n0,2\n");
  count_unknown_as_one_byte(mixed);
  count_unknown_as_one_byte(none);
  EXPECT_EQ(mixed.requests, (std::vector<Request>{{{0, 1}, 1}, {{0, 2}, 5}}));
  EXPECT_EQ(none.requests, (std::vector<Request>{{{0, 1}, 0}, {{0, 2}, 0}}));
}

TEST(RequestFile, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(parsed("\xEF\xBB\xBFsource,destination,bytes\n0,3,4096\n1,2\n4,0,2K\n").requests, kThree);
  EXPECT_EQ(parsed("\xEF\xBB\xBF[[0,3,4096],[1,2],[4,0,2048]]").requests, kThree);
}

TEST(RequestFile, TextAfterTheJson) {
  EXPECT_THAT(refused_requests("[[0,1]] [[1,2]]"), StartsWith("f:1:9: more text follows the complete JSON"));
  EXPECT_THAT(refused_requests("{\"requests\":[[0,1]]}\n}"), StartsWith("f:2:1: more text follows"));
  EXPECT_THAT(refused_requests("[[0,1]"), HasSubstr("ends inside its JSON"));
}

TEST(RequestFile, FilesThatCannotBeRead) {
  EXPECT_THROW(read_requests("/nowhere/requests.csv"), UserError);
  EXPECT_THROW(read_requests(testing::TempDir()), UserError);
}

TEST(RequestFile, MutatedFilesAreParsedOrRefused) {
  // Mutations of valid files give a set or a UserError with a place.
  const std::vector<std::string> good{
      "source,destination,bytes\n0,3,4096\n1,2\n",
      R"({"ports": 8, "requests": [[0, 3, 4096], {"source": 4, "destination": 0}]})"};
  const std::string alphabet = "0123456789,[]{}\":#\n -.eKsourcedtinabytp\\\xff";
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    Random random(seed);
    std::string text = good[seed % good.size()];
    for (std::uint64_t k = 1 + random.below(4); k > 0; --k) {
      const std::size_t at = random.below(text.size());
      if (random.below(3) == 0)
        text.erase(at, 1 + random.below(5));
      else
        text[at] = alphabet[random.below(alphabet.size())];
      if (text.empty()) break;
    }
    try {
      EXPECT_FALSE(parsed(text).requests.empty()) << text;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::ContainsRegex("^f:[0-9]+:[0-9]+: ")) << text;
    }
  }
}

}  // namespace
}  // namespace hybrid
