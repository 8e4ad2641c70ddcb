import type { Job, Stage } from '../model/model.ts'
import type { ParamResolver } from './params.ts'
import { resolveTask } from './resolve-task.ts'
import { resolvePrincipals, resolveVariables } from './resolve-values.ts'

/** A stage with the params of the pipeline that uses it replaced. */
export function resolveStage(stage: Stage, params: ParamResolver): Stage {
  const { approval } = stage
  return {
    ...stage,
    approval: approval && {
      ...approval,
      approvers: approval.approvers && resolvePrincipals(approval.approvers, params),
    },
    variables: resolveVariables(stage.variables, params),
    jobs: stage.jobs.map((job) => resolveJob(job, params)),
  }
}

function resolveJob(job: Job, params: ParamResolver): Job {
  return {
    ...job,
    variables: resolveVariables(job.variables, params),
    tasks: job.tasks.map((task) => resolveTask(task, params)),
    artifacts: job.artifacts.map((artifact) => ({
      ...artifact,
      src: params.resolve(artifact.src, artifact.at),
      dest: params.resolveOptional(artifact.dest, artifact.at),
    })),
    resources: job.resources.map(({ at, name }) => ({ at, name: params.resolve(name, at).trim() })),
    tabs: job.tabs.map((tab) => ({ ...tab, path: params.resolve(tab.path, tab.at) })),
    properties: job.properties.map((property) => ({
      ...property,
      src: params.resolve(property.src, property.at),
      xpath: params.resolve(property.xpath, property.at),
    })),
  }
}
