import { describe, expect, it } from 'vitest'
import { entitySpan, stageSpan } from '../../../src/document/highlight/entity-span.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const DOCUMENT = `<?xml version="1.0"?>
<cruise>
  <server><security><roles><role name="ops"><user>a</user></role></roles></security></server>
  <!-- <pipelines><pipeline name="app">comment</pipeline></pipelines> -->
  <pipelines group="g">
    <pipeline name="lib"><materials><pipeline pipelineName="app" stageName="s"/></materials></pipeline>
    <pipeline name="App"><!-- </pipeline> --><stage name="one"/><stage name="Two"><jobs/></stage></pipeline>
  </pipelines>
  <pipelines><pipeline name="lone"/></pipelines>
  <templates><pipeline name="app"><stage name="t"/></pipeline></templates>
  <agents><agent uuid="U1" hostname="box"/></agents>
</cruise>`

function spanIn(text: string, entity: string) {
  return runSync(entitySpan(text, entity))
}

function found(entity: string): string | null {
  const span = spanIn(DOCUMENT, entity)
  return span && DOCUMENT.slice(span.start, span.end)
}

describe('where an entity stands', () => {
  it.each([
    ['pipeline/app', /^<pipeline name="App"><!-- .*Two.*<\/pipeline>$/],
    ['pipeline/lib', /^<pipeline name="lib">.*<\/materials><\/pipeline>$/],
    ['pipeline/lone', /^<pipeline name="lone"\/>$/],
    ['group/g', /^<pipelines group="g">.*<\/pipelines>$/s],
    ['group/defaultgroup', /^<pipelines><pipeline name="lone"\/><\/pipelines>$/],
    ['template/APP', /^<pipeline name="app"><stage name="t"\/><\/pipeline>$/],
    ['role/ops', /^<role name="ops">.*<\/role>$/],
    ['agent/U1', /^<agent uuid="U1" hostname="box"\/>$/],
    ['server', /^<server>.*<\/server>$/],
  ])('%s', (entity, expected) => {
    expect(found(entity)).toMatch(expected)
  })

  it.each(['pipeline/none', 'agent/u1', 'stage/one', 'planet/mars', 'user/a'])(
    'is not found for %s',
    (entity) => {
      expect(found(entity)).toBeNull()
    },
  )

  it('is found for the stages of a pipeline', () => {
    const pipeline = found('pipeline/app') ?? ''
    const span = stageSpan(pipeline, 'two')

    expect(pipeline.slice(span?.start, span?.end)).toBe('<stage name="Two"><jobs/></stage>')
    expect(stageSpan(pipeline, 't')).toBeNull()
  })

  it('takes any text', () => {
    expect(spanIn('', 'pipeline/a')).toBeNull()
    expect(spanIn('no < xml', 'pipeline/a')).toBeNull()
    const open = '<cruise><pipelines><pipeline name="a"><stage>'
    expect(spanIn(open, 'pipeline/a')).toEqual({ start: 19, end: open.length })
  })
})
