import { type NewElement, newCdata, newElement } from '../edit/new-element.ts'
import type { MaterialRequest } from './material-request.ts'
import type { PipelineCreationRequest } from './pipeline-request.ts'
import type { TaskRequest } from './task-request.ts'

/** Encrypts a secret; what it returns may stand in the configuration. */
export type Seal = (secret: string) => string

/** The element of a new pipeline. Values that are defaults are not written. */
export function pipelineElement(request: PipelineCreationRequest, seal: Seal): NewElement {
  const job = newElement('job', { name: 'defaultJob' }, [
    newElement('tasks', {}, [taskElement(request.task)]),
    ...artifactsElements(request),
  ])
  return newElement('pipeline', { name: request.name }, [
    newElement('materials', {}, [materialElement(request.material, seal)]),
    newElement('stage', { name: 'defaultStage' }, [newElement('jobs', {}, [job])]),
  ])
}

function materialElement(material: MaterialRequest, seal: Seal): NewElement {
  if (material.scm === 'hg') return newElement('hg', { url: material.url })
  if (material.scm === 'git') {
    const { url, branch } = material
    return newElement('git', { url, branch: branch === 'master' ? null : branch })
  }
  const { username, password } = material
  const encryptedPassword = password === null ? null : seal(password)
  if (material.scm === 'svn') {
    return newElement('svn', { url: material.url, username, encryptedPassword })
  }
  if (material.scm === 'tfs') {
    const { url, domain, projectPath } = material
    return newElement('tfs', { url, username, domain, encryptedPassword, projectPath })
  }
  const useTickets = material.useTickets ? 'true' : null
  const attributes = { port: material.port, username, encryptedPassword, useTickets }
  return newElement('p4', attributes, [newElement('view', {}, [newCdata(material.view)])])
}

function taskElement(task: TaskRequest): NewElement {
  if (task.builder !== 'exec') {
    return newElement(task.builder, { buildfile: task.buildfile, target: task.target })
  }
  const args = task.args.map((arg) => newElement('arg', {}, [arg]))
  return newElement('exec', { command: task.command }, args)
}

function artifactsElements({ artifacts }: PipelineCreationRequest): NewElement[] {
  if (artifacts.length === 0) return []
  const elements = artifacts.map(({ kind, src, dest }) => newElement(kind, { src, dest }))
  return [newElement('artifacts', {}, elements)]
}
