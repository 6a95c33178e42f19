#include "libhybrid/report/phase_table.h"

#include "libhybrid/report/format.h"
#include "libhybrid/report/text_table.h"

namespace hybrid {

std::string phase_measures_table(const std::vector<const Measures*>& results, std::size_t indent,
                                 std::size_t width) {
  using Align = TextTable::Align;
  TextTable table({{"technique", Align::left},
                   {"slots"},
                   {"phase", Align::left},
                   {"time"},
                   {"utilisation"},
                   {"messages"},
                   {"bytes"},
                   {"p50"},
                   {"p99"},
                   {"hit rate"}});
  for (const Measures* m : results)
    for (const PhaseMeasures& p : m->phases)
      table.add({m->technique, m->slots == 0 ? "-" : std::to_string(m->slots), p.name, short_time(p.time),
                 p.utilisation <= 1 ? percent(p.utilisation) : "-", grouped(p.messages),
                 format_bytes(p.bytes), short_time(p.latency.quantile(0.5)),
                 short_time(p.latency.quantile(0.99)), percent(p.hit_rate())});
  if (table.empty()) return wrap("No phases are distinguished in this traffic.", indent, width);
  return table.text(indent, width);
}

}  // namespace hybrid
