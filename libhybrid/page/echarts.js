// The parts of ECharts that page.js draws with.
import { use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import { AriaComponent, DataZoomInsideComponent, GridComponent, LegendScrollComponent, MarkLineComponent, TooltipComponent,
  VisualMapContinuousComponent } from "echarts/components";
import { CanvasRenderer } from "echarts/renderers";
export { getInstanceByDom, init } from "echarts/core";

use([AriaComponent, BarChart, CanvasRenderer, CustomChart, DataZoomInsideComponent, GridComponent, HeatmapChart, LegendScrollComponent,
  LineChart, MarkLineComponent, TooltipComponent, VisualMapContinuousComponent]);
