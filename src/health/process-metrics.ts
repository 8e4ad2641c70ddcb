import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { counter, gauge, type Metric } from '../core/metric.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'

/** The sampling interval of the event loop, in milliseconds. */
const RESOLUTION = 20
const NANOSECONDS = 1e9

/** Metrics of this process: its memory, its CPU time, and the delays of its event loop. */
export class ProcessMetrics implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION })

  constructor() {
    this.#delay.enable()
  }

  /** Delays are those since the last call. */
  async read(): Promise<readonly Metric[]> {
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const files = await orNullWhenAbsent(readdir('/proc/self/fd'))
    const cpu = (user + system) / 1e6
    const began = Date.now() / 1_000 - process.uptime()
    return [
      gauge('process_resident_memory_bytes', 'Memory in use', rss),
      gauge('nodejs_heap_used_bytes', 'Memory of objects', heapUsed),
      gauge('nodejs_external_memory_bytes', 'Memory of buffers', external),
      counter('process_cpu_seconds_total', 'Time of processors', cpu),
      gauge('process_start_time_seconds', 'When it was started', Math.round(began)),
      ...(files ? [gauge('process_open_fds', 'Open files and connections', files.length)] : []),
      this.#readDelay(),
    ]
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }

  #readDelay(): Metric {
    const delay = this.#delay
    const samples = [
      sampleAt('0.5', delay.percentile(50)),
      sampleAt('0.99', delay.percentile(99)),
      sampleAt('1', delay.max),
    ]
    delay.reset()
    const help = 'How long the event loop was held up since the last look'
    return { name: 'nodejs_eventloop_delay_seconds', help, type: 'gauge', samples }
  }
}

function sampleAt(quantile: string, nanoseconds: number) {
  const value = Math.max(0, (nanoseconds || 0) / NANOSECONDS - RESOLUTION / 1_000)
  return { labels: { quantile }, value }
}
