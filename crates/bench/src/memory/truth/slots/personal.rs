//! What people have one of: what they tell, correct, take back and ask about it.

use super::Slot;

pub(in crate::memory::truth) const PHONE: Slot = Slot {
    values: [
        &["0631 874402", "0655 120938", "0677 449021", "0612 908834"],
        &["0718 264930", "0752 901386", "0735 648217", "0761 093574"],
    ],
    tell: [
        &[
            "My phone number is {v}.",
            "Please remember that my phone number is {v}.",
            "You can ring me on {v}.",
            "my number's {v}, just so you have it",
            "If anything urgent comes up, the best way to reach me is my mobile, {v}.",
            "Could you save my phone number for me? It's {v}.",
            "Here is my mobile number: {v}",
        ],
        &[
            "My mobile is {v}, in case you ever need it.",
            "Here's my phone number: {v}",
            "Please remember that my mobile number is {v}.",
            "If something's urgent, ring me on {v}.",
        ],
    ],
    correct: [
        &[
            "Sorry, my phone number is {v}.",
            "No, my phone number is {v}.",
            "I got a new phone number, it's {v}.",
            "oh wait, that was the wrong number, mine is {v}",
            "My number has changed, please use {v} from now on.",
            "Correction: my phone number is {v}, not the one I gave you before.",
            "Actually my mobile number is {v} now.",
        ],
        &[
            "Correction, my mobile is {v}.",
            "I gave you the wrong phone number, it should be {v}.",
            "My phone number has changed, it's {v} now.",
        ],
    ],
    reword: [
        &[
            "I switched operators, call {v} from today.",
            "New SIM card as of this morning, text {v} if you want to get hold of me.",
            "The old line has been cut off, I only pick up on {v}.",
            "Lost my handset and had to get a replacement, so dial {v} instead.",
            "I can only be called at {v} these days, the other one is dead.",
            "Had to change provider, try {v} when you want to talk to me.",
            "new contract, new digits: {v}",
        ],
        &[
            "Got a new contract, so please text {v} from here on.",
            "The old line is dead, use {v} to get hold of me.",
            "If you want to talk, dial {v}, the other one has been cut off.",
        ],
    ],
    ask: [
        &[
            "What is my phone number?",
            "what's my number again?",
            "Can you tell me my mobile number?",
            "On which number can people reach me?",
            "Which phone number do you have for me?",
            "I have to fill in a form, what was my phone number?",
            "Remind me of my phone number, please.",
        ],
        &[
            "What's my phone number again?",
            "Can you tell me my own mobile number?",
            "On which number can people ring me?",
        ],
    ],
    forget: [
        &[
            "Forget my phone number.",
            "Please forget my phone number.",
            "forget that my number is {v}",
            "Please forget how to reach me by phone.",
            "Forget my mobile number, I'd rather not have it stored.",
            "Please forget that my phone number is {v}.",
        ],
        &[
            "Forget the phone number I gave you.",
            "Please forget my mobile number.",
            "forget that my phone number is {v}",
        ],
    ],
};

pub(in crate::memory::truth) const CITY: Slot = Slot {
    values: [&["Lyon", "Bergen", "Porto", "Gdansk"], &["Aarhus", "Bologna", "Ghent", "Coimbra"]],
    tell: [
        &[
            "I live in {v}.",
            "My home is in {v}.",
            "I'm based in {v}, by the way.",
            "we live in {v}, right by the station",
            "Just so you know, I live in {v} with my family.",
            "{v} is where I live.",
            "I have been living in {v} for six years now.",
        ],
        &[
            "I'm based in {v}.",
            "I live in {v}, quite close to the station.",
            "Home for me is {v}.",
            "I'm living in {v} at the moment.",
        ],
    ],
    correct: [
        &[
            "I no longer live there, I live in {v} now.",
            "I live in {v} now.",
            "Sorry, I live in {v}, I wrote that wrong.",
            "No, I live in {v}.",
            "small correction, I'm based in {v} these days",
            "My home is in {v} now, please update that.",
            "Actually I live in {v}, not where I told you before.",
        ],
        &[
            "I moved, I live in {v} now.",
            "Wait, that's wrong, I live in {v}.",
            "Home is {v} these days, not where I said before.",
        ],
    ],
    reword: [
        &[
            "We moved to {v} at the weekend.",
            "We have settled in {v}, the boxes are nearly all unpacked.",
            "The new flat in {v} is finally ours and the old keys are handed back.",
            "finally moved! {v} it is now",
            "Our new address is in {v}, we gave up the old place last week.",
            "After the move to {v} I still get lost on the way to the supermarket.",
        ],
        &[
            "Just got the keys to our new flat, we've settled in {v}.",
            "I packed up everything and relocated to {v}.",
            "All the boxes are unpacked, so from today you'll find us in {v}.",
        ],
    ],
    ask: [
        &[
            "Where do I live?",
            "Which city do I live in?",
            "where am I living at the moment?",
            "Do you know where my home is?",
            "In which town am I based?",
            "What city should I put down as my home?",
            "Remind me, which city do I live in?",
        ],
        &["What city do I live in?", "Where is home for me?", "Do you remember where I'm living?"],
    ],
    forget: [
        &[
            "Forget that I live in {v}.",
            "Please forget where I live.",
            "Forget which city I live in.",
            "forget that I live in {v}, please",
            "Please forget that my home is in {v}.",
            "Forget where I'm based.",
            "Please forget the city I live in, that's nobody's concern.",
        ],
        &[
            "Forget the city I live in.",
            "Please forget where my home is.",
            "forget that I'm based in {v}",
        ],
    ],
};

pub(in crate::memory::truth) const DENTIST: Slot = Slot {
    values: [
        &["Okafor", "Lindqvist", "Marchetti", "Dubois"],
        &["Abernathy", "Kowalczyk", "Ferreira", "Haddad"],
    ],
    tell: [
        &[
            "My dentist is Dr {v}.",
            "Remember that my dentist is Dr {v}.",
            "I go to Dr {v} for my teeth.",
            "my dentist's name is Dr {v}, in case I ever need to look it up",
            "Could you note down that Dr {v} is my dentist?",
            "I've been seeing Dr {v} as my dentist for years.",
        ],
        &[
            "Dr {v} is my dentist.",
            "My dentist's name is Dr {v}.",
            "Please remember that I have Dr {v} as my dentist.",
            "When I need a dentist I always go to Dr {v}.",
        ],
    ],
    correct: [
        &[
            "No, my dentist is Dr {v}.",
            "Sorry, I mixed that up, my dentist is Dr {v}.",
            "My dentist is Dr {v} now.",
            "wrong name, my dentist is called Dr {v}",
            "Actually my dentist is Dr {v}, please correct that.",
            "Correction: Dr {v} is my dentist.",
        ],
        &[
            "Small correction: my dentist's name is Dr {v}.",
            "I have a new dentist, Dr {v}.",
            "Not quite, Dr {v} is my dentist.",
        ],
    ],
    reword: [
        &[
            "I changed practices, Dr {v} looks after my teeth.",
            "The old practice closed, so Dr {v} does my check-ups now.",
            "Dr {v} has taken over my fillings and cleanings.",
            "My molars are in the hands of Dr {v} these days, the other one retired.",
            "switched to Dr {v} for tooth stuff",
            "I wasn't happy after the last root canal, so Dr {v} treats me from here on.",
            "The next crown will be done by Dr {v}, I have left the old surgery.",
        ],
        &[
            "The old practice closed, so Dr {v} does my check-ups and fillings these days.",
            "I'm registered with Dr {v} now for cleanings and fillings.",
            "If a tooth hurts I see Dr {v} from now on, much gentler.",
        ],
    ],
    ask: [
        &[
            "What is the name of my dentist?",
            "Who is my dentist?",
            "what's my dentist called again?",
            "Can you tell me who looks after my teeth?",
            "Who do I see for my teeth?",
            "I have a terrible toothache, who is my dentist?",
        ],
        &["Who's my dentist again?", "Which dentist do I go to?", "What's my dentist's name?"],
    ],
    forget: [
        &[
            "Forget who my dentist is.",
            "Please forget my dentist.",
            "Forget my dentist's name.",
            "Please forget the name of my dentist, I don't want it on record.",
            "Forget which dentist I go to.",
            "Please forget that I go to Dr {v} for my teeth.",
        ],
        &[
            "Forget what I told you about my dentist.",
            "Please forget the name of my dentist.",
            "forget that Dr {v} is my dentist",
        ],
    ],
};

pub(in crate::memory::truth) const DOG: Slot = Slot {
    values: [&["Biscuit", "Rufus", "Pepper", "Mocha"], &["Pickle", "Toffee", "Bandit", "Hazel"]],
    tell: [
        &[
            "My dog is called {v}.",
            "Remember that my dog is called {v}.",
            "We have a dog, his name is {v}.",
            "{v} is my dog, you will hear about him a lot.",
            "By the way, our dog is called {v}.",
            "I have a little terrier called {v}, he is the best dog in the world.",
        ],
        &[
            "We have a dog, the name is {v}.",
            "My dog's name is {v}.",
            "Please remember that my dog's name is {v}.",
            "{v} is my dog, by the way.",
        ],
    ],
    correct: [
        &[
            "Sorry, my dog is called {v}.",
            "No, my dog's name is {v}.",
            "my dog is called {v} now",
            "Actually the dog is called {v}, I mistyped.",
            "Correction: the name of my dog is {v}.",
            "I got that wrong, our dog is called {v}.",
            "It's {v}, that's what my dog is called.",
        ],
        &[
            "Oops, typo, my dog's name is {v}.",
            "The dog goes by {v} now.",
            "I meant {v}, that's my dog's name.",
        ],
    ],
    reword: [
        &[
            "We renamed the puppy {v}.",
            "The kids didn't like it, so the puppy answers to {v} now.",
            "Our four-legged friend goes by {v} these days.",
            "The little furball has been rechristened {v}.",
            "We decided {v} suits the pup better, so that's what we shout in the park.",
            "the pup is {v} from today, family vote",
            "Walkies are with {v} from now on, we gave the hound another name.",
        ],
        &[
            "The kids wanted something cuter, so our four-legged friend is {v} from now on.",
            "At the shelter they told us the pup is really called {v}.",
            "On walks we shout {v} these days, the little one listens better to that.",
        ],
    ],
    ask: [
        &[
            "What is my dog called?",
            "What's the name of my dog?",
            "Do you remember my dog's name?",
            "How is my dog called?",
            "Can you tell me the name of our dog?",
            "The vet is asking, what is my dog's name?",
        ],
        &[
            "What's my dog's name?",
            "Do you know what my dog is called?",
            "What did I say my dog's name was?",
        ],
    ],
    forget: [
        &[
            "Forget my dog's name.",
            "Please forget what my dog is called.",
            "Please forget my dog.",
            "Forget about my dog, I shouldn't have mentioned him.",
            "Please forget that we have a dog called {v}.",
            "Please forget everything about our dog.",
        ],
        &[
            "Forget the name of my dog.",
            "Please forget what I said about my dog.",
            "forget that my dog is called {v}",
        ],
    ],
};

pub(in crate::memory::truth) const EMPLOYER: Slot = Slot {
    values: [
        &["Northwind", "Tessella", "Quarrix", "Ombra"],
        &["Brightmoor", "Solvanta", "Kestrix", "Pellworth"],
    ],
    tell: [
        &[
            "I work at {v}.",
            "My employer is {v}.",
            "I've got a job at {v}, in accounting.",
            "just so you know, I work for a company called {v}",
            "I have been with {v} for three years, mostly in customer support.",
            "For context: I'm employed at {v}.",
        ],
        &[
            "I work for {v}.",
            "I've got a job at {v}.",
            "The company I work for is {v}.",
            "I'm employed at {v}, in the finance team.",
        ],
    ],
    correct: [
        &[
            "From now on I work at {v}.",
            "I work at {v} now.",
            "Sorry, I work for {v}.",
            "my employer is {v} now",
            "No, I work at {v}, I got that wrong.",
            "Actually I work for {v} these days.",
            "Please correct that: my employer is {v}.",
        ],
        &[
            "I've changed jobs and work for {v} now.",
            "Sorry, the company I work for is {v}.",
            "New job! I'm employed at {v} now.",
        ],
    ],
    reword: [
        &[
            "I quit and joined {v}.",
            "I handed in my notice and started over at {v}.",
            "New job! {v} hired me.",
            "Today was my first day at {v}, I left the old company.",
            "{v} made me an offer and I took it, so goodbye to the old office.",
            "{v} pays my wages now.",
            "changed jobs, it's {v} now",
        ],
        &[
            "Handed in my notice, from this month {v} pays my salary.",
            "I let {v} hire me away.",
            "Signed the contract with {v} and said goodbye to my old colleagues.",
        ],
    ],
    ask: [
        &[
            "Where do I work?",
            "Who is my employer?",
            "What is the name of the company I work for?",
            "Can you remind me where I'm employed?",
            "Who do I work for at the moment?",
            "what do I put under employer on this form?",
        ],
        &["Which company do I work for?", "Who do I work for?", "What's the name of my employer?"],
    ],
    forget: [
        &[
            "Forget where I work.",
            "Please forget my employer.",
            "Forget who I work for.",
            "forget that I work at {v}",
            "Please forget the company I work for.",
            "Forget that my employer is {v}.",
            "Please forget where I'm employed.",
        ],
        &[
            "Forget which company I work for.",
            "Please forget who my employer is.",
            "forget that I work for {v}",
        ],
    ],
};

pub(in crate::memory::truth) const DESK: Slot = Slot {
    values: [&["417", "233", "508", "126"], &["319", "846", "572", "967"]],
    tell: [
        &[
            "My desk is number {v}.",
            "I sit at desk {v}.",
            "my desk number is {v} if anyone is looking for me",
            "I have been given desk {v}, next to the window.",
            "Desk {v} is mine.",
            "Please put any post for me on desk {v}, that is where I sit.",
        ],
        &["My desk number is {v}.", "btw I'm at desk {v}", "You'll find me at desk {v}."],
    ],
    correct: [
        &[
            "My desk is number {v} now.",
            "Sorry, my desk is number {v}.",
            "No, I sit at desk {v}.",
            "I'm at desk {v} now.",
            "Correction, my desk number is {v}.",
            "Actually desk {v} is mine.",
            "typo, I meant desk {v}",
        ],
        &[
            "I've been moved, my desk number is {v} now.",
            "Wrong one, I'm at desk {v}.",
            "As of today you'll find me at desk {v}.",
        ],
    ],
    reword: [
        &[
            "Facilities put me at {v}.",
            "I had to swap places, I'm over at {v} now.",
            "They moved my seat to {v}.",
            "After the reshuffle I am sitting at {v}.",
            "New spot in the office for me: {v}.",
            "carried my monitor and my plants over to {v} today, that's my new place",
            "The whole team changed seats and I ended up at {v}.",
        ],
        &[
            "After the office reshuffle my chair and screen are at {v}.",
            "My workplace got relocated, look for the sign that says {v}.",
            "They carried my monitor over to {v}, that's my spot now.",
        ],
    ],
    ask: [
        &[
            "Which desk is mine?",
            "What is my desk number?",
            "where do I sit?",
            "At which desk do I sit?",
            "Can you tell me which desk I have?",
            "A courier wants to know, which desk am I at?",
        ],
        &["What's my desk number?", "What number is my desk?", "Which desk am I at?"],
    ],
    forget: [
        &[
            "Forget my desk.",
            "Please forget my desk number.",
            "Forget where I sit.",
            "forget that my desk is number {v}",
            "Please forget which desk is mine.",
            "Forget that I sit at desk {v}.",
            "Please forget at which desk I sit.",
        ],
        &[
            "Forget my desk number.",
            "Please forget which desk I'm at.",
            "forget that I'm at desk {v}",
        ],
    ],
};
