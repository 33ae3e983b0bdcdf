import type { Dialect } from "../dialect.ts";
import { antml, antmlStart } from "./antml.ts";
import { apertus } from "./apertus.ts";
import { apriel } from "./apriel.ts";
import { codeFence } from "./code-fence.ts";
import { cohereAction } from "./cohere-action.ts";
import { deepseekDsml } from "./deepseek-dsml.ts";
import { deepseekV3Json } from "./deepseek-v3-json.ts";
import { deepseekV31 } from "./deepseek-v31.ts";
import { ernie45, ernie45Response } from "./ernie45.ts";
import { functionCallTag } from "./function-call-tag.ts";
import { functionJson } from "./function-json.ts";
import { functionary, functionaryStart, functionaryTags } from "./functionary.ts";
import { functiongemma } from "./functiongemma.ts";
import { gemma4 } from "./gemma4.ts";
import { gigachat3 } from "./gigachat3.ts";
import { glmArgkv } from "./glm-argkv.ts";
import { graniteJson } from "./granite-json.ts";
import { harmony, harmonyStart } from "./harmony.ts";
import { hermesJson } from "./hermes-json.ts";
import { hunyuan } from "./hunyuan.ts";
import { inkling } from "./inkling.ts";
import { internlm } from "./internlm.ts";
import { jamba } from "./jamba.ts";
import { kimiK2 } from "./kimi-k2.ts";
import { kimiK3Xtml } from "./kimi-k3-xtml.ts";
import { lfm2Pythonic } from "./lfm2-pythonic.ts";
import { barePythonic, llamaPythonic } from "./llama-pythonic.ts";
import { llama3BareJson, llama3Json } from "./llama3-json.ts";
import { minicpm5Xml } from "./minicpm5-xml.ts";
import { minimaxM2Invoke } from "./minimax-m2-invoke.ts";
import { minimaxM3 } from "./minimax-m3.ts";
import { mistral } from "./mistral.ts";
import { morphXml, morphXmlLine, morphXmlText } from "./morph-xml.ts";
import { nemotronNanoV2 } from "./nemotron-nano-v2.ts";
import { olmo3 } from "./olmo3.ts";
import { phi4 } from "./phi4.ts";
import { qwen3FunctionXml } from "./qwen3-function-xml.ts";
import { seedOssXml } from "./seed-oss-xml.ts";
import { step3Steptml } from "./step3-steptml.ts";
import { useToolXml } from "./use-tool-xml.ts";
import { wholeFence } from "./whole-fence.ts";
import { xlam, xlamFenced, xlamMarked, xlamObject } from "./xlam.ts";
import { yamlXml, yamlXmlInside } from "./yaml-xml.ts";

/**
 * Every form of every dialect that Toolwire reads; a dialect that is written in several ways has several. If two share an opener,
 * the first that can read a block wins.
 */
export const forms: readonly Dialect[] = [
  hermesJson,
  qwen3FunctionXml,
  seedOssXml,
  glmArgkv,
  deepseekDsml,
  antml,
  antmlStart,
  minimaxM2Invoke,
  step3Steptml,
  minicpm5Xml,
  deepseekV3Json,
  deepseekV31,
  kimiK2,
  mistral,
  cohereAction,
  functionCallTag,
  graniteJson,
  functionJson,
  apertus,
  apriel,
  jamba,
  hunyuan,
  nemotronNanoV2,
  internlm,
  gigachat3,
  inkling,
  wholeFence,
  harmony,
  harmonyStart,
  kimiK3Xtml,
  minimaxM3,
  llama3Json,
  llama3BareJson,
  phi4,
  xlam,
  xlamObject,
  xlamMarked,
  xlamFenced,
  functionary,
  functionaryStart,
  functionaryTags,
  ernie45,
  ernie45Response,
  useToolXml,
  codeFence,
  morphXml,
  yamlXml,
  yamlXmlInside,
  morphXmlText,
  morphXmlLine,
  olmo3,
  llamaPythonic,
  barePythonic,
  lfm2Pythonic,
  gemma4,
  functiongemma,
];

/** The dialects that can be named, each in its first form. */
export const dialects: readonly Dialect[] = forms.filter(
  ({ name, internal }, index) => !internal && forms.findIndex((form) => form.name === name) === index,
);
