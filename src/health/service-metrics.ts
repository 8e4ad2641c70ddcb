import type { Builds } from '../builds/engine/builds.ts'
import { AGENT_STATUSES } from '../core/builds/agent.ts'
import type { ServiceMaintenance } from '../core/service/maintenance.ts'
import { type SeenServers, silentServers } from '../core/service/seen-server.ts'
import { byLabel, counter, gauge, type Metric } from '../core/service/metric.ts'
import { BOUNDS, type RequestMetrics, type Series } from '../core/service/request-metrics.ts'
import type { ConfigurationWriter } from '../configuration/save/configuration-writer.ts'
import type { History } from '../history/history.ts'
import type { AgentDirectory } from '../agents/agent-directory.ts'
import { agentStatusOf } from '../agents/known-agent.ts'
import { type RunCounts, type RunTotals, WAIT_BOUNDS } from '../builds/runs/run-counts.ts'
import type { RunningJobs } from '../builds/dispatch/running-jobs.ts'
import type { UserSourceState } from '../core/service/user-source-state.ts'
import { type HealthDeps, readHealth } from './health.ts'
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { countEach } from '../lib/grouping.ts'

export interface ServiceMetricsOptions extends HealthDeps {
  readonly writer: Pick<ConfigurationWriter, 'load'>
  readonly requests: RequestMetrics
  /** Null while another server leads. */
  readonly work: () => CountedWork | null
}

export interface CountedWork {
  readonly directory: AgentDirectory
  readonly builds: Builds
  readonly running: RunningJobs
  readonly counts: RunCounts
  /** Counts the proposals that are neither merged nor closed. */
  readonly openProposals: () => Promise<number>
}

/** The route whose answers are look-ups by digest. */
const DIGEST_ROUTE = 'GET /api/admin/config/:file{.+\\.xml}'

/** The sampling interval of the event loop, in milliseconds. */
const RESOLUTION_MS = 20
const NANOSECONDS = 1e9

/** All metrics of the service, collected on request. */
export class ServiceMetrics implements Disposable {
  readonly #options: ServiceMetricsOptions
  readonly #process = new ProcessMetrics()
  readonly #stop: () => void
  #saved = 0

  constructor(options: ServiceMetricsOptions) {
    this.#options = options
    this.#stop = options.history.onRevision(({ added }) => {
      this.#saved += added.length
    })
  }

  async read(): Promise<readonly Metric[]> {
    const { requests, version, cluster } = this.#options
    const work = this.#options.work()
    const series = requests.series()
    return [
      byLabel(
        ['gauge', 'cairn_build_info', 'Which version runs'],
        'version',
        new Map([[version, 1]]),
      ),
      gauge('cairn_problems', 'Open problems', readHealth(this.#options).problems.length),
      maintenanceMetric(this.#options.maintenance.current()),
      durations(series),
      gauge('cairn_http_requests_in_flight', 'Requests not yet answered', requests.inFlight()),
      lookUps(series),
      ...this.#historyMetrics(),
      ...(work === null ? [] : await workMetrics(work)),
      ...serverMetrics(cluster?.seen() ?? null),
      ...userSourceMetrics(this.#options.logIns.userSources()),
      ...(await this.#process.read()),
    ]
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#process[Symbol.dispose]()
  }

  #historyMetrics(): Metric[] {
    const { history, writer } = this.#options
    const { waiting, served, waitedSeconds } = writer.load()
    const stored = history.storage()
    return [
      gauge('cairn_revisions', 'Revisions in the history', history.size()),
      byLabel(
        ['gauge', 'cairn_configuration_info', 'The digest of the current configuration'],
        'digest',
        new Map([[history.current().digest, 1]]),
      ),
      counter('cairn_revisions_saved_total', 'New revisions by any author', this.#saved),
      gauge('cairn_writer_queue_length', 'Changes waiting or in progress', waiting),
      {
        name: 'cairn_writer_wait_seconds',
        help: 'How long changes waited for their turn',
        type: 'summary',
        samples: [
          { suffix: '_sum', value: waitedSeconds },
          { suffix: '_count', value: served },
        ],
      },
      ...repositoryMetrics(stored),
    ]
  }
}

function maintenanceMetric({ saves, starts }: ServiceMaintenance): Metric {
  const refused = new Map(
    Object.entries({ saves, starts }).map(([what, state]) => [what, state === 'refused' ? 1 : 0]),
  )
  const help = 'Whether these actions are refused for maintenance'
  return byLabel(['gauge', 'cairn_maintenance', help], 'refused', refused)
}

/** Latencies by route and status, as a histogram with cumulative counts for Prometheus. */
function durations(series: readonly Series[]): Metric {
  return {
    name: 'cairn_http_request_duration_seconds',
    help: 'How long answers took, by route and status',
    type: 'histogram',
    samples: series.flatMap(({ route, status, count, sum, buckets }) => {
      const labels = { route: route || 'none', status: String(status) }
      let below = 0
      const counts = buckets.map((bucket, n) => ({
        labels: { ...labels, le: String(BOUNDS[n] ?? '+Inf') },
        suffix: '_bucket',
        value: (below += bucket),
      }))
      return [
        ...counts,
        { labels, suffix: '_sum', value: sum },
        { labels, suffix: '_count', value: count },
      ]
    }),
  }
}

/** Metrics of other sources of users; none when the users file is the only one. */
function userSourceMetrics(sources: readonly UserSourceState[]): Metric[] {
  if (sources.length === 0) return []
  const up = new Map(sources.map(({ source, away }) => [source, away === null ? 1 : 0]))
  const help = 'Whether the directory or the provider was there at the last log-in'
  return [byLabel(['gauge', 'cairn_user_source_up', help], 'source', up)]
}

function lookUps(series: readonly Series[]): Metric {
  const counts = new Map([
    ['found', 0],
    ['unknown', 0],
  ])
  for (const { route, status, count } of series) {
    const result = status < 400 ? 'found' : status === 404 ? 'unknown' : null
    if (route !== DIGEST_ROUTE || result === null) continue
    counts.set(result, (counts.get(result) ?? 0) + count)
  }
  const help = 'Configurations asked for by their digest'
  return byLabel(['counter', 'cairn_digest_lookups_total', help], 'result', counts)
}

async function workMetrics({
  directory,
  builds,
  running,
  counts,
  openProposals,
}: CountedWork): Promise<Metric[]> {
  const statuses = countEach(directory.list().map(agentStatusOf))
  const agents = new Map(AGENT_STATUSES.map((status) => [status, statuses.get(status) ?? 0]))
  const stopped = running.list().filter(({ isStopped }) => isStopped).length
  const jobs = new Map([
    ['waiting', builds.waitingJobs()],
    ['running', running.list().length - stopped],
    ['stopping', stopped],
  ])
  return [
    byLabel(['gauge', 'cairn_agents', 'Agents by status'], 'status', agents),
    byLabel(['gauge', 'cairn_jobs', 'Unfinished jobs'], 'state', jobs),
    gauge('cairn_proposals_open', 'Proposals not merged or closed', await openProposals()),
    ...runMetrics(counts.totals()),
  ]
}

/** Counts since this server became the leader. */
function runMetrics({ stages, jobs, waits }: RunTotals): Metric[] {
  let below = 0
  const buckets = waits.buckets.map((bucket, n) => ({
    labels: { le: String(WAIT_BOUNDS[n] ?? '+Inf') },
    suffix: '_bucket',
    value: (below += bucket),
  }))
  const totals = [
    { suffix: '_sum', value: waits.sum },
    { suffix: '_count', value: waits.count },
  ]
  return [
    byLabel(['counter', 'cairn_stage_runs_total', 'Ended runs of stages'], 'result', stages),
    byLabel(['counter', 'cairn_jobs_finished_total', 'Ended jobs'], 'result', jobs),
    {
      name: 'cairn_job_wait_seconds',
      help: 'How long jobs waited for an agent',
      type: 'histogram',
      samples: [...buckets, ...totals],
    },
  ]
}

function serverMetrics(seen: SeenServers | null): Metric[] {
  if (seen === null) return []
  const silent = silentServers(seen).length
  const counts = new Map([
    ['seen', seen.servers.length - silent],
    ['silent', silent],
  ])
  const hasLeader = seen.holder === null ? 0 : 1
  return [
    gauge('cairn_log_sequence', 'The newest entry of the log that this server has', seen.sequence),
    gauge('cairn_log_lag', 'Entries of the log that this server lacks', seen.lag),
    gauge('cairn_duties_held', 'Whether there is a leader', hasLeader),
    byLabel(['gauge', 'cairn_servers', 'Servers that share the database'], 'state', counts),
  ]
}

function repositoryMetrics(stored: ReturnType<History['storage']>): Metric[] {
  if (stored === null) return []
  const { looseObjects, looseBytes, packs, packBytes, packedAt, problem } = stored
  const failed = problem === null ? 0 : 1
  const bytes = looseBytes + packBytes
  return [
    gauge('cairn_repository_bytes', 'Size of the objects in git at the last look', bytes),
    gauge('cairn_repository_loose_objects', 'Objects that are not packed', looseObjects),
    gauge('cairn_repository_packs', 'Packs of objects', packs),
    gauge('cairn_repository_packing_failed', 'Whether the last packing failed', failed),
    ...(packedAt === null
      ? []
      : [gauge('cairn_repository_packed_time_seconds', 'When they were packed', packedAt / 1_000)]),
  ]
}

/** Metrics of this process: its memory, its CPU time, and the delays of its event loop. */
class ProcessMetrics implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

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
  const value = Math.max(0, (nanoseconds || 0) / NANOSECONDS - RESOLUTION_MS / 1_000)
  return { labels: { quantile }, value }
}
