import { describe, expect, it } from 'vitest'
import { AGENT_ELEMENTS } from '../../../../src/document/schema/agents.ts'
import { MATERIAL_ELEMENTS } from '../../../../src/document/schema/materials.ts'
import { PIPELINE_ELEMENTS } from '../../../../src/document/schema/pipelines.ts'
import { PLUGIN_ELEMENTS } from '../../../../src/document/schema/plugins.ts'
import { SERVER_ELEMENTS } from '../../../../src/document/schema/server.ts'
import { STAGE_ELEMENTS } from '../../../../src/document/schema/stages.ts'
import { TASK_ELEMENTS } from '../../../../src/document/schema/tasks.ts'
import { CRUISE, type ElementRule } from '../../../../src/document/schema/vocabulary.ts'

const AREAS = [
  SERVER_ELEMENTS,
  PIPELINE_ELEMENTS,
  MATERIAL_ELEMENTS,
  STAGE_ELEMENTS,
  TASK_ELEMENTS,
  PLUGIN_ELEMENTS,
  AGENT_ELEMENTS,
]

/** Every rule that a document can meet at some version. */
function reachable(): Map<string, ElementRule> {
  const found = new Map<string, ElementRule>()
  const pending = [CRUISE]
  for (let rule = pending.pop(); rule; rule = pending.pop()) {
    if (found.has(rule.key)) continue
    found.set(rule.key, rule)
    pending.push(...rule.exact.children.values(), ...rule.others.children.values())
  }
  return found
}

describe('the vocabulary', () => {
  it('defines what it mentions, and mentions what it defines', () => {
    const defined = AREAS.flatMap((area) => Object.keys(area))

    expect([...reachable().keys()].toSorted()).toEqual(defined.toSorted())
  })

  it('gives one meaning to an element in its place', () => {
    const defined = AREAS.flatMap((area) => Object.keys(area))

    expect(new Set(defined).size).toBe(defined.length)
  })

  it('keeps at other versions every attribute of the exact one', () => {
    const lost = [...reachable().values()].filter(({ exact, others }) =>
      [...exact.attributes.keys()].some((name) => !others.attributes.has(name)),
    )

    expect(lost).toEqual([])
  })
})
