// @module-tag long
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { tempDir } from '../support/disk/temp-folder.ts'
import { documentWith } from '../support/documents/documents.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { Prometheus } from '../support/programs/prometheus.ts'
import { deployed, rootFile } from '../support/programs/root-file.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'
import { save } from '../support/service/saving.ts'
import { openTwo } from '../support/service/servers.ts'

const RULES = rootFile('deploy/prometheus-rules.yaml')

const RulesFile = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
})
const Dashboard = z.object({
  panels: z.array(
    z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) }),
  ),
})

/** Series by their names, as values that Prometheus writes so: `0x90` is ninety more zeros. */
type Series = Readonly<Record<string, string>>
interface Case {
  readonly firing: Series
  readonly quiet: Series
}

const HOURS = 6
const MINUTES = 60 * HOURS
const always = (value: number) => `${value}x${MINUTES}`
const rising = (step: number) => `0+${step}x${MINUTES}`
const at = (name: string, labels = '') =>
  `${name}{job="cairn",instance="one:8153"${labels === '' ? '' : `,${labels}`}}`
const answers = 'cairn_http_request_duration_seconds_count'
const jobs = (waiting: number, running: number): Series => ({
  [at('cairn_jobs', 'state="waiting"')]: always(waiting),
  [at('cairn_jobs', 'state="running"')]: always(running),
})
const waits = (within: number, all: number): Series => ({
  [at('cairn_job_wait_seconds_bucket', 'le="600"')]: rising(within),
  [at('cairn_job_wait_seconds_bucket', 'le="1800"')]: rising(all),
  [at('cairn_job_wait_seconds_bucket', 'le="+Inf"')]: rising(all),
})
const runs = (failed: number, passed: number): Series => ({
  [at('cairn_stage_runs_total', 'result="Failed"')]: rising(failed),
  [at('cairn_stage_runs_total', 'result="Passed"')]: rising(passed),
})
const errors = (failed: number): Series => ({
  [at(answers, 'status="500"')]: rising(failed),
  [at(answers, 'status="200"')]: rising(100),
})
const digests = (other: string): Series => ({
  [at('cairn_configuration_info', 'digest="a"')]: always(1),
  [`cairn_configuration_info{job="cairn",instance="two:8153",digest="${other}"}`]: always(1),
})
const one = (series: string, firing: number, quiet: number): Case => ({
  firing: { [series]: always(firing) },
  quiet: { [series]: always(quiet) },
})

/** Each alert with series for which it fires, and others for which it is quiet, after six hours. */
const CASES: Readonly<Record<string, Case>> = {
  CairnDown: one(at('up'), 0, 1),
  CairnHasProblems: one(at('cairn_problems'), 2, 0),
  CairnAnswersWithErrors: { firing: errors(10), quiet: errors(1) },
  CairnHeldUp: one(at('nodejs_eventloop_delay_seconds', 'quantile="0.99"'), 0.9, 0.1),
  CairnWriterQueueGrows: one(at('cairn_writer_queue_length'), 30, 3),
  CairnAgentsLost: one(at('cairn_agents', 'status="LostContact"'), 1, 0),
  CairnJobsWaitLong: { firing: waits(1, 10), quiet: waits(10, 10) },
  CairnNothingIsBuilt: { firing: jobs(3, 0), quiet: jobs(3, 1) },
  CairnMostRunsFail: { firing: runs(3, 1), quiet: runs(1, 3) },
  CairnRepositoryNotPacked: one(at('cairn_repository_packing_failed'), 1, 0),
  CairnUserSourceAway: one(at('cairn_user_source_up', 'source="ldap"'), 0, 1),
  CairnHasNoLeader: one(at('cairn_duties_held'), 0, 1),
  CairnServerSilent: one(at('cairn_servers', 'state="silent"'), 1, 0),
  CairnLagsBehind: one(at('cairn_log_lag'), 4, 0),
  CairnServersDiffer: { firing: digests('b'), quiet: digests('a') },
  CairnMaintenanceForgotten: one(at('cairn_maintenance', 'refused="saves"'), 1, 0),
}

/** Whether its metric is there with a directory alone, or once the repository was inspected. */
function isLater(text: string): boolean {
  return /cairn_user_source_up|cairn_repository_/.test(text)
}

/** A test of promtool: the alert fires after some time, or none of its series does. */
function testOf(alert: string, series: Series, fires: boolean) {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
        eval_time: `${MINUTES - 60}m`,
        exp_samples: [{ labels: '{}', value: fires ? 1 : 0 }],
      },
    ],
  }
}

describe('deploy/prometheus-rules.yaml', { tags: ['prometheus'] }, () => {
  const { groups } = RulesFile.parse(parse(deployed('prometheus-rules.yaml')))
  const alerts = groups.flatMap(({ rules }) => rules)

  it('has a firing and a quiet case of every alert, as promtool sees it', async () => {
    expect(Object.keys(CASES)).toEqual(alerts.map(({ alert }) => alert))
    const tests = Object.entries(CASES).flatMap(([alert, { firing, quiet }]) => [
      testOf(alert, firing, true),
      testOf(alert, quiet, false),
    ])
    const file = join(tempDir(), 'tests.yml')
    const content = { rule_files: [RULES], evaluation_interval: '5m', tests }
    writeFileSync(file, JSON.stringify(content))

    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file])

    expect(stdout).toContain('SUCCESS')
    await promisify(execFile)('promtool', ['check', 'rules', RULES])
  })
})

describe('what is deployed for Prometheus', { tags: ['postgresql', 'prometheus'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('asks for metrics that servers have, in every query', { timeout: 120_000 }, async () => {
    const servers = await openTwo(cluster().freshSchema())
    await save(servers[0], documentWith('alpha'))
    const urls = servers.map(({ url }) => url)
    const prometheus = await Prometheus.start(tempDir(), urls)
    const { panels } = Dashboard.parse(JSON.parse(deployed('grafana-dashboard.json')))
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

    const empty: string[] = []
    for (const query of queries) {
      const asked = query.replaceAll('$__rate_interval', '1m').replaceAll('$server', '.*')
      const count = await prometheus.count(asked)
      if (count === 0 && !isLater(query)) empty.push(query)
    }

    expect(queries.length).toBeGreaterThan(20)
    expect(empty).toEqual([])
    const { groups } = RulesFile.parse(parse(deployed('prometheus-rules.yaml')))
    const names = groups
      .flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/\b(?:cairn|nodejs)_\w+/g)))
      .flatMap((name) => name ?? [])
      .filter((name) => !isLater(name))
    for (const name of new Set(names))
      expect([name, await prometheus.count(name)]).not.toEqual([name, 0])
  })
})
