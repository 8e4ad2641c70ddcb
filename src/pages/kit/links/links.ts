import { agentPaths, type JobLocator } from '../../../wire/agent/paths.ts'
import { ConfigurationLinks, type Query, segments } from './configuration-links.ts'

export type { Query, RevisionStep } from './configuration-links.ts'

interface StageName {
  readonly pipeline: string
  readonly stage: string
}

interface StageRunName extends StageName {
  readonly pipelineCounter: number
  readonly stageCounter: number
}

/**
 * Builds every address that a page links to, with the base path. Pages build no address by hand.
 */
export class Links extends ConfigurationLinks {
  /** The path of the cookies that pages set. */
  root(): string {
    return this.address('/')
  }

  /** The description of the interface as a page. */
  api(): string {
    return this.address('/api')
  }

  audit(query: Query = {}): string {
    return this.address('/audit', query)
  }

  /** The search of all that has a name or a text. */
  search(query: Query = {}): string {
    return this.address('/search', query)
  }

  /** The same as data, for the palette. */
  searchResults(): string {
    return this.address('/search/results.json')
  }

  /** The servers that share a database. */
  servers(): string {
    return this.address('/servers')
  }

  /** The page of problems for operators. */
  problems(query: Query = {}): string {
    return this.address('/problems', query)
  }

  /** Polls a material that cannot be read. */
  retryMaterial(fingerprint: string): string {
    return this.address(`/problems/materials/${encodeURIComponent(fingerprint)}`)
  }

  /** Removes the oldest consoles and artifacts. */
  freeRoom(): string {
    return this.address('/problems/room')
  }

  /** The problems as JSON. */
  health(): string {
    return this.address('/health')
  }

  openApi(): string {
    return this.address('/api/openapi.json')
  }

  /** A script checks here whether the service is reachable; proxies often block /health. */
  alive(): string {
    return this.address('/health/live')
  }

  agents(query: Query = {}): string {
    return this.address('/agents', query)
  }

  /** One agent, with the jobs that it ran. */
  agent(uuid: string, query: Query = {}): string {
    return this.address(`/agents/${encodeURIComponent(uuid)}`, query)
  }

  /** The form for an invitation of an agent, and those that are open. */
  invitations(query: Query = {}): string {
    return this.address('/agent-invitations', query)
  }

  /** The steps of an agent's removal. */
  removeAgent(uuid: string, query: Query = {}): string {
    return this.address(`/agents/${encodeURIComponent(uuid)}/remove`, query)
  }

  /** The steps of the removal of several agents. */
  removeAgents(query: readonly (readonly [name: string, value: string])[]): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of query) parameters.append(name, value)
    return `${this.address('/agents/remove')}?${parameters.toString()}`
  }

  pipelines(query: Query = {}): string {
    return this.address('/pipelines', query)
  }

  /** The form of a run with options. */
  triggerPipeline(name: string): string {
    return this.address(`/pipelines/${encodeURIComponent(name)}/trigger`)
  }

  /** The runs of a pipeline. */
  pipeline(name: string, query: Query = {}): string {
    return this.address(`/pipelines/${encodeURIComponent(name)}`, query)
  }

  /** The differences between two runs of a pipeline, by their counters or since the last that passed. */
  compareRuns(
    pipeline: string,
    { from, to }: { readonly from: number | 'last-passed'; readonly to: number },
    query: Query = {},
  ): string {
    return this.address(`/pipelines/${encodeURIComponent(pipeline)}/compare/${from}/${to}`, query)
  }

  /** The runs of a stage. */
  stage({ pipeline, stage }: StageName, query: Query = {}): string {
    return this.address(`/stages/${segments(pipeline, stage)}`, query)
  }

  /** One run of a stage. */
  stageRun(run: StageRunName, query: Query = {}): string {
    return this.address(`/stages/${stageSegments(run)}`, query)
  }

  /** One job of a run. */
  job({ job, ...run }: StageRunName & { readonly job: string }, query: Query = {}): string {
    return this.address(`/stages/${stageSegments(run)}/${segments(job)}`, query)
  }

  /** The lines of a job's console from one on, as HTML for a page. */
  consoleLines({ job, ...run }: StageRunName & { readonly job: string }): string {
    return this.address(`/stages/${stageSegments(run)}/${segments(job)}/console`)
  }

  /** A file that a job made, or its console. */
  file(place: JobLocator, path: string): string {
    return this.address(agentPaths.file(place, path))
  }

  /** Sets the colours. */
  colours(): string {
    return this.address('/colours')
  }

  /** The form of a log-in. */
  login(): string {
    return this.address('/login')
  }

  /** Where a log-in by OpenID Connect begins. */
  oidcLogin(query: Query = {}): string {
    return this.address('/login/oidc', query)
  }

  /** The caller's own tokens. */
  tokens(query: Query = {}): string {
    return this.address('/tokens', query)
  }

  /** The caller's own password, sessions, and news by mail. */
  account(query: Query = {}): string {
    return this.address('/account', query)
  }

  /** The action of the form about news by mail. */
  mailSubscription(): string {
    return this.address('/account/mail')
  }

  /** The page of users. */
  users(query: Query = {}): string {
    return this.address('/users', query)
  }

  user(name: string, query: Query = {}): string {
    return this.address(`/users/${encodeURIComponent(name)}`, query)
  }

  /** The maintenance mode. */
  maintenance(query: Query = {}): string {
    return this.address('/maintenance', query)
  }

  /** The deliveries to receivers of events. */
  webhooks(query: Query = {}): string {
    return this.address('/webhooks', query)
  }

  logOut(): string {
    return this.address('/log-out')
  }

  asset(address: string): string {
    return this.address(`/assets/${address}`)
  }
}

function stageSegments(run: StageRunName): string {
  return segments(run.pipeline, run.stage, run.pipelineCounter, run.stageCounter)
}
