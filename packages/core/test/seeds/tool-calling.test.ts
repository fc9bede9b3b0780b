// Tool calling: a test for each feature and each example.
import { tool } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { outputs, play } from './run-scripted.ts';

describe('tool calling', () => {
  const begun: string[] = [];
  const getWeather = tool(
    'get_weather',
    'Get current weather for a city',
    z.object({ city: z.string().min(1) }),
    async ({ city }) => {
      begun.push(city);
      await new Promise((resolve) => setTimeout(resolve, 20));
      begun.push(`${city} ended`);
      return { temperature: 22, condition: 'sunny' };
    },
    { outputSchema: z.object({ temperature: z.number(), condition: z.string() }) },
  );
  const getHoroscope = tool(
    'get_horoscope',
    "Get today's horoscope for an astrological sign",
    z.object({ sign: z.string().min(1) }),
    ({ sign }) => ({ horoscope: `${sign} - Next Tuesday you will befriend a baby otter.` }),
    { outputSchema: z.object({ horoscope: z.string() }) },
  );
  const ask = (
    question: string,
    turns: readonly ScriptedTurn[],
    options: { forceTools?: boolean } = {},
  ): ReturnType<typeof play> =>
    play(
      (prompt) => {
        prompt.defSystem('You are a helpful assistant with tools.');
        prompt.defTools([getWeather, getHoroscope]);
        prompt.$`${question}`;
      },
      turns,
      { options },
    );

  test('several tools in one answer run, and their results go back to the model', async () => {
    const { sent, state } = await ask('I am an Aquarius planning a trip to London.', [
      [call('get_weather', { city: 'London' }), call('get_horoscope', { sign: 'Aquarius' })],
      'Sunny, and an otter.',
    ]);
    expect(sent[1]!.messages).toEqual(
      expect.arrayContaining([
        expect.stringContaining('get_weather answers {"temperature":22,"condition":"sunny"}'),
        expect.stringContaining('Aquarius - Next Tuesday'),
      ]),
    );
    expect(state.text).toBe('Sunny, and an otter.');
  });

  test('calls of one answer run at the same time, and their events stream in before the text', async () => {
    begun.length = 0;
    const { events, state } = await ask("What's the weather in London, Paris, and Tokyo?", [
      ['London', 'Paris', 'Tokyo'].map((city) => call('get_weather', { city })),
      [{ text: 'Sunny everywhere.', chunkSize: 4 }],
    ]);
    expect(begun.slice(0, 3)).toEqual(['London', 'Paris', 'Tokyo']);
    expect(outputs(events)).toHaveLength(3);
    const types = events.map(({ type }) => type);
    expect(types.lastIndexOf('tool-end')).toBeLessThan(types.indexOf('text-delta'));
    expect(types.filter((type) => type === 'text-delta').length).toBeGreaterThan(2);
    expect(state.text).toBe('Sunny everywhere.');
  });

  test('forceTools requires a tool in the first step only', async () => {
    const { model } = await ask(
      'Tell me about the weather somewhere.',
      [[call('get_weather', { city: 'Oslo' })], 'Sunny in Oslo.'],
      { forceTools: true },
    );
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto']);
  });

  test('arguments that do not fit, and results that do not fit the outputSchema, are errors that the model reads', async () => {
    const broken = tool(
      'broken',
      'Returns something else',
      z.object({}),
      () => ({ temperature: 'hot' }) as never,
      {
        outputSchema: z.object({ temperature: z.number() }),
      },
    );
    const { sent } = await play(
      (prompt) => {
        prompt.defTools([getWeather, broken]);
        prompt.$`Go.`;
      },
      [[call('get_weather', { city: '' }), call('broken', {})], 'Neither worked.'],
    );
    const answers = sent[1]!.messages.join('\n');
    expect(answers).toContain('city');
    expect(answers).toContain('does not fit its outputSchema');
  });

  test('a model that repeats a call reads a warning, and a loop ends the run', async () => {
    begun.length = 0;
    const again = [call('get_weather', { city: 'London' })];
    const { state } = await ask(
      'Weather?',
      Array.from({ length: 30 }, () => again),
    );
    expect(state.error).toMatchObject({ code: 'loop_detected' });
    expect(begun.filter((city) => city === 'London').length).toBeLessThan(4);
  });
});
