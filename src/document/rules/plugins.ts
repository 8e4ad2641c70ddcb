import { nameKey } from '../../core/name-key.ts'
import type { Material, Property } from '../model/model.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import { type Finding, repeats, repeatsInOtherCase } from '../model/finding.ts'
import type { PipelineRule, RuleContext } from './rule-context.ts'

/** PKG-1: repositories and packages differ by more than the case of their names. */
export function* packageNames({ written: { repositories } }: RuleContext): Generator<Finding> {
  for (const { item, first } of repeatsInOtherCase(repositories)) {
    const message = quoting`the repository ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
  for (const { name, packages } of repositories) {
    for (const { item, first } of repeatsInOtherCase(packages)) {
      const message = quoting`the package ${item.name} of the repository ${name} is already defined as ${first.name}`
      yield { at: item.at, message }
    }
  }
}

/** PKG-1: no two packages are the same thing under two names. */
export function* packageIdentities({ written: { repositories } }: RuleContext): Generator<Finding> {
  const packages = repositories.flatMap(({ plugin, properties, packages: own }) => {
    const repository = `${plugin.id} ${identityOf(properties)}`
    return own.map((each) => ({
      ...each,
      identity: `${repository} ${identityOf(each.properties)}`,
    }))
  })
  for (const { item, first } of repeats(packages, ({ identity }) => identity)) {
    const message = quoting`the packages ${first.name} and ${item.name} have the same properties`
    yield { at: item.at, message }
  }
}

/** SCM-1: scms differ by more than the case of their names, and by their properties. */
export function* scmDefinitions({ written: { scms } }: RuleContext): Generator<Finding> {
  for (const { item, first } of repeats(scms, ({ name }) => nameKey(name))) {
    const message = quoting`the scm ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
  const identity = ({ plugin, properties }: (typeof scms)[number]) =>
    `${plugin.id} ${identityOf(properties)}`
  for (const { item, first } of repeats(scms, identity)) {
    const message = quoting`the scms ${first.name} and ${item.name} have the same properties`
    yield { at: item.at, message }
  }
}

/** PKG-1 and SCM-1: a pipeline has each package and each scm once. */
export const pluginMaterialOnce: PipelineRule = function* ({
  name,
  materials,
}): Generator<Finding> {
  for (const { item } of repeats(materials, refOf)) {
    const message = `the pipeline "${shorten(name)}" has the same ${item.kind} material more than once`
    yield { at: item.at, message }
  }
}

function refOf(material: Material): string | null {
  if (material.kind !== 'package' && material.kind !== 'scm') return null
  return `${material.kind} ${material.ref}`
}

/** The keys of a configuration are unique, whatever their case. */
export function* propertyKeys({ written }: RuleContext): Generator<Finding> {
  const { repositories, scms } = written
  for (const { properties, packages } of repositories) {
    yield* repeatedKeys(properties)
    for (const each of packages) yield* repeatedKeys(each.properties)
  }
  for (const { properties } of scms) yield* repeatedKeys(properties)
}

/** The same for the tasks of plugins. */
export const taskPropertyKeys: PipelineRule = function* ({ stages }): Generator<Finding> {
  const jobs = stages.flatMap((stage) => stage.jobs)
  for (const task of jobs.flatMap(({ tasks }) => tasks)) {
    if (task.kind === 'plugin') yield* repeatedKeys(task.properties)
  }
}

function* repeatedKeys(properties: readonly Property[]): Generator<Finding> {
  for (const { item } of repeats(properties, ({ key }) => nameKey(key))) {
    const message = quoting`the property ${item.key} is already in this configuration`
    yield { at: item.at, message }
  }
}

/** Without the plugin at hand, every property is part of what it defines. */
function identityOf(properties: readonly Property[]): string {
  const pairs = properties.map(({ key, value, encryptedValue }) => [key, value ?? encryptedValue])
  return JSON.stringify(
    pairs.toSorted(([one = ''], [other = '']) => ((one ?? '') < (other ?? '') ? -1 : 1)),
  )
}
