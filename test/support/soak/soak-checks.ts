import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { JOB, STAGE, type JobInstance } from '../../../src/builds/engine/documents.ts'
import { stageStatus } from '../../../src/core/builds/stage.ts'
import { STATE_KINDS } from '../../../src/operations/examine-state.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { AgentEntry } from '../../../src/wire/agent-entry.ts'
import { HealthBody } from '../../../src/wire/health-body.ts'
import { buildProblems } from '../builds/build-problems.ts'
import { auditRowsIn } from '../service/audit-rows.ts'
import { git, tryGit } from '../git/git.ts'
import { Program } from '../programs/program.ts'
import { seen } from './editors.ts'
import type { Decided, Decision, JobStep, Ledger } from './ledger.ts'
import { revisionsOf } from './readers.ts'
import type { SoakedServer } from './soaked-server.ts'

const SAMPLE = 40

/** Checks the files that a killed server left, before another one opens them. */
export async function checkRemains(folder: string, ledger: Ledger): Promise<void> {
  await Promise.all([checkState(folder, ledger), checkWithCommand(folder, ledger)])
  checkAudit(join(folder, 'state'), ledger)
  const repository = join(folder, 'config-repo')
  const { status, stdout, stderr } = tryGit(repository, ['fsck', '--strict', '--no-dangling'])
  if (status !== 0 || String(stdout) !== '') ledger.complain(`git fsck: ${String(stdout)}${stderr}`)
}

async function checkWithCommand(folder: string, ledger: Ledger): Promise<void> {
  const { code, stdout } = await new Program(['state', 'check'], { cwd: folder }).ended()
  if (code !== 0) ledger.complain(`cairn state check: ${stdout}`)
}

function checkAudit(folder: string, ledger: Ledger): void {
  const saves = auditRowsIn(folder).filter((row) => /"save-configuration".*"done"/.test(row))
  const noted = new Set(saves.map((line) => /"md5":"(\w+)"/.exec(line)?.[1]))
  for (const digest of ledger.audited) {
    if (!noted.has(digest)) ledger.complain(`the save of ${digest} is not in the audit log`)
  }
}

async function checkState(folder: string, ledger: Ledger): Promise<void> {
  const file = join(folder, 'state/state.sqlite')
  if (!existsSync(file)) return
  await using store = await openSqliteState(file)
  const jobs = new Map((await store.list(JOB)).map(({ value }) => [value.id, value]))
  const stages = (await store.list(STAGE)).map(({ value }) => value)
  const keys = new Set(
    stages.map((stage) => {
      const { pipelineName, pipelineCounter, name, counter } = stage
      return `${pipelineName}/${pipelineCounter}/${name}/${counter}`
    }),
  )
  const cancelled = stages.filter(({ tally }) => stageStatus(tally).result === 'Cancelled').length
  const asked = ledger.counts.get('stages cancelled') ?? 0
  const problems = [
    ...(await store.check(STATE_KINDS)),
    ...(await buildProblems(store)),
    ...[...ledger.runs].filter((run) => !keys.has(run)).map((run) => `the run ${run} is lost`),
    ...ledger.steps.filter((step) => !hasStep(jobs.get(step.jobId), step)).map(lost),
    ...(cancelled < asked ? [`${asked} stages were cancelled, and only ${cancelled} are`] : []),
  ]
  for (const problem of problems) ledger.complain(problem)
}

/** A job that was cancelled takes no more reports, though they are answered. */
function hasStep(job: JobInstance | undefined, { agent, state }: JobStep): boolean {
  if (!job || job.agentUuid !== agent) return false
  return job.result === 'Cancelled' || job.transitions.some((entered) => entered.state === state)
}

function lost({ jobId, agent, state }: JobStep): string {
  return `job ${jobId} of ${agent} was ${state}, and nothing is known of that`
}

/** Checks the state and the answers of a server that was started again. */
export async function checkServed(server: SoakedServer, fresh: readonly string[]): Promise<void> {
  const { ledger, repository } = server
  for (const digest of ledger.pendingEdits) await seen(server, digest, 'edits while it was gone')
  const list = new Set((await revisionsOf(server)).map(({ md5 }) => String(md5)))
  const all = [...ledger.digests]
  for (const digest of all.filter((each) => !list.has(each)))
    ledger.complain(`${digest} is not in the list after a start`)
  const old = Array.from({ length: SAMPLE }, () => all[Math.floor(Math.random() * all.length)])
  for (const digest of [...fresh, ...old]) {
    if (digest !== undefined && !(await server.serves(digest)))
      ledger.complain(`${digest} is not served after a start`)
  }
  checkCommits(repository, ledger)
  await checkAgents(server)
  await checkHealth(server)
}

function checkCommits(repository: string, ledger: Ledger): void {
  const commits = new Set(git(repository, 'rev-list', 'HEAD').split('\n'))
  for (const commit of ledger.commits) {
    if (!commits.has(commit)) ledger.complain(`the commit ${commit} is lost`)
  }
  checkEdits(repository, ledger)
  const status = git(repository, 'status', '--porcelain')
  if (status !== '') ledger.complain(`git status: ${status}`)
}

/** Only content that was written to the live file counts as an edit of it. */
function checkEdits(repository: string, ledger: Ledger): void {
  const format = '--format=%(trailers:key=Config-MD5,valueonly,separator=)'
  const edits = git(repository, 'log', '--author=^Filesystem <', format).trim().split('\n')
  for (const digest of edits) {
    if (digest !== '' && !ledger.edits.has(digest))
      ledger.complain(`nobody has edited the live file to ${digest}, and it is a revision`)
  }
}

async function checkAgents(server: SoakedServer): Promise<void> {
  const response = await server.call('/api/agents', [200])
  const entries = z.array(AgentEntry).parse(await response.json())
  const found = new Map(entries.map(({ uuid, status }) => [uuid, status]))
  for (const [uuid, decided] of server.ledger.decisions) {
    const decision = decisionOf(found.get(uuid))
    if (!isExpected(decided, decision))
      server.ledger.complain(`${uuid} is ${decision} after ${JSON.stringify(decided)}`)
    else server.ledger.decisions.set(uuid, { acknowledged: decision, asked: null })
  }
}

function decisionOf(status: AgentEntry['status'] | undefined): Decision {
  if (status === undefined || status === 'Pending') return 'absent'
  return status === 'Disabled' ? 'disabled' : 'enabled'
}

function isExpected({ acknowledged, asked }: Decided, found: Decision): boolean {
  return found === (acknowledged ?? 'absent') || found === asked
}

async function checkHealth(server: SoakedServer): Promise<void> {
  for (let look = 0; look < 50; look += 1) {
    const health = HealthBody.parse(await (await server.call('/health', [200])).json())
    if (health.status === 'ok') return
    if (look === 49) server.ledger.complain(`health: ${JSON.stringify(health.problems)}`)
    await wait(100)
  }
}
