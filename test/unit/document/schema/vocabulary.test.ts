import { describe, expect, it } from 'vitest'
import { CRUISE, type ElementRule } from '../../../../src/document/schema/vocabulary.ts'
import {
  AGENT_DEFINITIONS,
  PLUGIN_DEFINITIONS,
} from '../../../../src/document/schema/vocabulary-plugins.ts'
import { PIPELINE_DEFINITIONS } from '../../../../src/document/schema/vocabulary-pipelines.ts'
import { SERVER_DEFINITIONS } from '../../../../src/document/schema/vocabulary-server.ts'
import { STAGE_DEFINITIONS } from '../../../../src/document/schema/vocabulary-stages.ts'

const AREAS = [
  SERVER_DEFINITIONS,
  PIPELINE_DEFINITIONS,
  STAGE_DEFINITIONS,
  PLUGIN_DEFINITIONS,
  AGENT_DEFINITIONS,
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
