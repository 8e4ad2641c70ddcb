import { aConfiguration, dependency, element, exec, git } from '../documents/a-configuration.ts'

/** Pipelines that build; the second starts after the first. */
export const BUILT = ['alpha', 'beta']
/** The editors of the configuration; each has a place of its own in it. */
export const EDITORS = ['form', 'put', 'disk', 'native'] as const
export type Editor = (typeof EDITORS)[number]

/** A configuration to build from and to edit. */
export function soakDocument(origin: string): string {
  const materials = [git(origin, { branch: 'main' })]
  const stages = [
    { name: 'build', jobs: [{ name: 'one' }, { name: 'two' }] },
    { name: 'check', jobs: [{ name: 'all' }] },
  ].map(({ name, jobs }) => ({
    name,
    jobs: jobs.map((job) => ({ ...job, tasks: [exec('true')] })),
  }))
  const after = {
    name: 'gamma',
    materials: [dependency('alpha', 'check')],
    stages: stages.slice(1),
  }
  const built = BUILT.map((name) => ({ name, materials, stages }))
  const edited = EDITORS.map((name) => ({ group: `edited-${name}`, pipelines: [edit(name)] }))
  return aConfiguration({ groups: [{ group: 'built', pipelines: [...built, after] }, ...edited] })
}

/** The document with another value in the place of an editor. */
export function editedBy(editor: Editor, document: string, value: string): string {
  const place = new RegExp(`(<variable name="of-${editor}">\\s*<value>)[^<]*`)
  return document.replace(place, (_, before: string) => `${before}${value}`)
}

function edit(name: Editor) {
  return {
    name: `edited-${name}`,
    variables: { [`of-${name}`]: 'nothing yet' },
    materials: [element('git', { url: 'https://example.org/none.git', autoUpdate: false })],
    stages: [{ name: 'build', approval: element('approval', { type: 'manual' }) }],
  }
}
