import type { CancelTask, Property, Task } from '../model/model.ts'
import type { ParamResolver } from './params.ts'

/** A task and what it does on cancel, with the params of the pipeline replaced. */
export function resolveTask(task: Task, params: ParamResolver): Task {
  const onCancel = task.onCancel && resolveTexts(task.onCancel, params)
  return { ...resolveTexts(task, params), onCancel }
}

function resolveTexts<Any extends CancelTask>(task: Any, params: ParamResolver): Any {
  const text = (given: string) => params.resolve(given, task.at)
  const optional = (given: string | null) => params.resolveOptional(given, task.at)
  if (task.kind === 'plugin') {
    return { ...task, properties: task.properties.map((each) => resolveProperty(each, params)) }
  }
  if (task.kind === 'fetchartifact') {
    return {
      ...task,
      pipeline: optional(task.pipeline),
      stage: text(task.stage),
      job: text(task.job),
      srcFile: optional(task.srcFile),
      srcDir: optional(task.srcDir),
      dest: optional(task.dest),
    }
  }
  const workingDir = optional(task.workingDir)
  if (task.kind === 'exec') {
    const args = task.arguments.map(({ at, text: arg }) => ({ at, text: params.resolve(arg, at) }))
    return {
      ...task,
      command: text(task.command),
      args: optional(task.args),
      arguments: args,
      workingDir,
    }
  }
  const buildFile = optional(task.buildFile)
  const target = optional(task.target)
  return { ...task, buildFile, target, workingDir, nantPath: optional(task.nantPath) }
}

function resolveProperty(property: Property, params: ParamResolver): Property {
  return { ...property, value: params.resolveOptional(property.value, property.at) }
}
