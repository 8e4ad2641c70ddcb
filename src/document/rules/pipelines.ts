import { nameKey } from '../../core/name-key.ts'
import { quoting } from '../text/shown-text.ts'
import { type Finding, repeats, repeatsInOtherCase } from '../model/finding.ts'
import { isCron } from '../timer/cron-fields.ts'
import type { PipelineRule, ReferenceRule, RuleContext } from './rule-context.ts'

/** PIP-2: a pipeline name appears once in the document, whatever its case. */
export function* pipelineNames({ pipelines, pipelinesByName }: RuleContext): Generator<Finding> {
  if (pipelinesByName.size === pipelines.length) return
  for (const { item } of repeats(pipelines, ({ name }) => nameKey(name))) {
    yield { at: item.at, message: quoting`there are several pipelines named ${item.name}` }
  }
}

/** PIP-3 and TPL-1: a pipeline has its own stages or those of a template that exists. */
export const stagesOrTemplate: ReferenceRule = function* (
  { at, name, template, stages },
  { templatesByName },
): Generator<Finding> {
  if (template !== null && !templatesByName.has(nameKey(template))) {
    yield { at, message: quoting`the template ${template} of the pipeline ${name} does not exist` }
  }
  if (template === null && stages.length === 0) {
    yield { at, message: quoting`the pipeline ${name} has neither stages nor a template` }
  }
}

/** TPL-1: no stages beside a template. */
export function* stagesBesideTemplate({ written }: RuleContext): Generator<Finding> {
  for (const { pipelines } of written.groups) {
    for (const { name, template, stages } of pipelines) {
      const [stage] = template === null ? [] : stages
      if (template === null || !stage) continue
      const message = quoting`the pipeline ${name} has the stage ${stage.name} and the template ${template}: use one of them`
      yield { at: stage.at, message }
    }
  }
}

/** TPL-1: template names differ by more than their case. */
export function* templateNames({ written }: RuleContext): Generator<Finding> {
  for (const { item, first } of repeatsInOtherCase(written.templates)) {
    const message = quoting`the template ${item.name} is already defined as ${first.name}`
    yield { at: item.at, message }
  }
}

/** PIP-6: the timer is a cron expression as Quartz reads it. */
export const timer: PipelineRule = function* ({ name, timer: given }): Generator<Finding> {
  if (given && !isCron(given.cron)) {
    const message = quoting`the timer ${given.cron} of the pipeline ${name} is not a cron expression`
    yield { at: given.at, message }
  }
}

/** PIP-7: the link of a tracking tool has a place for the id, and the regex is not empty. */
export const trackingTool: PipelineRule = function* ({ trackingTool: tool }): Generator<Finding> {
  if (!tool) return
  const { at, link, regex } = tool
  if (!link.includes('${ID}')) {
    yield { at, message: quoting`the link ${link} of the tracking tool does not have \${ID}` }
  }
  if (regex.trim() === '') yield { at, message: 'the regex of the tracking tool is empty' }
}

/** PIP-8: Mingle is reached by https. */
export const mingle: PipelineRule = function* ({ mingle: given }): Generator<Finding> {
  if (!given || given.baseUrl.startsWith('https://')) return
  const message = quoting`the Mingle address ${given.baseUrl} does not begin with https://`
  yield { at: given.at, message }
}

/** PAR-1: the params of a pipeline differ by more than their case. */
export const paramNames: PipelineRule = function* ({ name, params }): Generator<Finding> {
  for (const { item } of repeats(params, (param) => nameKey(param.name))) {
    const message = quoting`the param ${item.name} is already in the pipeline ${name}`
    yield { at: item.at, message }
  }
}
