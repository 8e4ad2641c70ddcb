/**
 * The addresses of the agents' calls, below the application path; each with its pattern for a
 * router.
 */
const ROOT = '/api/agents-protocol'

export const AGENT_PATTERNS = {
  register: `${ROOT}/register`,
  contact: `${ROOT}/:uuid/contact`,
  work: `${ROOT}/:uuid/work`,
  report: `${ROOT}/:uuid/jobs/:job{[0-9]+}/report`,
  console: `${ROOT}/:uuid/jobs/:job{[0-9]+}/console`,
  artifact: `${ROOT}/:uuid/jobs/:job{[0-9]+}/artifacts/:path{[\\s\\S]+}`,
  listArtifacts: `${ROOT}/:uuid/artifacts`,
} as const

/** The locator of a job with artifacts, by its segments. Counters of stages are text. */
export interface JobLocator {
  readonly pipelineName: string
  readonly pipelineCounter: number
  readonly stageName: string
  readonly stageCounter: string
  readonly jobName: string
}

export interface AgentJobPath {
  readonly uuid: string
  readonly jobId: number
}

/** `pipeline/counter/stage/counter/job`, as lists and consoles show it. */
export function renderLocator(job: JobLocator): string {
  return segmentsOf(job).join('/')
}

/** The paths that an agent calls, every variable part escaped. */
export const agentPaths = {
  register: (): string => `${ROOT}/register`,
  contact: (uuid: string): string => `${ROOT}/${encodeURIComponent(uuid)}/contact`,
  work: (uuid: string): string => `${ROOT}/${encodeURIComponent(uuid)}/work`,
  report: (job: AgentJobPath): string => `${jobPath(job)}/report`,
  console: (job: AgentJobPath, offset: number): string =>
    `${jobPath(job)}/console?offset=${offset}`,
  artifact: (job: AgentJobPath, kind: string, path: string): string =>
    `${jobPath(job)}/artifacts/${escapePath(path)}?kind=${encodeURIComponent(kind)}`,
  listArtifacts: (uuid: string, job: JobLocator, path: string): string => {
    const query = new URLSearchParams({ job: renderLocator(job), path })
    return `${ROOT}/${encodeURIComponent(uuid)}/artifacts?${query.toString()}`
  },
  file: (job: JobLocator, path: string): string =>
    `/files/${segmentsOf(job).map(encodeURIComponent).join('/')}/${escapePath(path)}`,
}

function jobPath({ uuid, jobId }: AgentJobPath): string {
  return `${ROOT}/${encodeURIComponent(uuid)}/jobs/${jobId}`
}

function segmentsOf(job: JobLocator): string[] {
  const { pipelineName, pipelineCounter, stageName, stageCounter, jobName } = job
  return [pipelineName, String(pipelineCounter), stageName, stageCounter, jobName]
}

function escapePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
